#pragma once

#include <selvage/frontend/formula.h>
#include <selvage/ir/identity.h>
#include <selvage/ir/scalar.h>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace selvage {

// Words of statements.

// The number of a word among some; nullopt if it is none of them.
std::optional<std::size_t> place_among(std::string_view word,
                                       std::span<const std::string_view> words);
std::optional<Reduction> parse_reduction(std::string_view word);
// Of cumsum: a sum.
std::optional<Reduction> parse_scan(std::string_view word);
// Of a word that is written around a subscript; of one that access modes have anywhere, checked and
// fill, too.
std::optional<Remap> parse_remap(std::string_view word);
bool is_access_mode(std::string_view word);
// Of real, imag, conj, complex, complex64 and complex128.
std::optional<FormulaNode::OfComplex> parse_of_complex(std::string_view word);
struct InfixSign {
  std::string_view text;
  Function function;
  bool swapped = false;  // a > b is b < a
};
const InfixSign* infix_sign(std::string_view text);  // null: it is none
// The functions that are written as name(operands).
std::vector<Function> named_functions();

}  // namespace selvage
