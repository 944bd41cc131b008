#pragma once

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
// The functions that are written as name(operands).
std::vector<Function> named_functions();

}  // namespace selvage
