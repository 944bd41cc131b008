#pragma once

#include <selvage/ir/fusion.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace selvage {

// Sizes and their values: what a run is made for.
struct SizeValues {
  std::vector<Expr> symbols;
  std::vector<std::int64_t> values;
  void add(Expr size, std::int64_t value) {
    symbols.push_back(size);
    values.push_back(value);
  }
  // The value of an integer or Boolean expression of sizes; nothing where it has none.
  std::optional<std::int64_t> operator()(Expr e) const;
};

// The size of a fusion that is named so. Throws BadInput E614 where there is none.
Expr size_called(const Fusion& fusion, const std::string& name);

// What is known once they have these values.
Facts with_values(Facts facts, const SizeValues& sizes);

// The value of n at which the extent `e` is `value`, all other sizes of it being known: 4 * K ==
// 1024 gives 256. Nothing where there is none, or where e may be as large at several.
std::optional<std::int64_t> solved_for(Expr n, Expr e, std::int64_t value, const SizeValues& known,
                                       const Facts& facts);

// "M = 4, N = 70000": the sizes that an expression is made of, those that have values.
std::string sizes_in(Expr e, const SizeValues& sizes);

// "K = 8": one of the sizes that `conditions` are made of and a value for it, near the one it has,
// with which they hold, and what the fusion says of its sizes as well where that can be had; empty
// where none is found.
std::string nearby_size(const Fusion& fusion, std::span<const Expr> conditions,
                        const SizeValues& sizes);

// Throws BadInput: E614 a size of the fusion that has no value, E615 one that its facts rule out,
// or values that break a relation between sizes.
void check_sizes(const Fusion& fusion, const SizeValues& sizes);

// Is a size 0 that may be, or an extent of a tensor, or of what is folded into one? What the fusion
// is lowered to takes each for at least 1.
bool have_zero_extent(const Fusion& fusion, const SizeValues& sizes);

}  // namespace selvage
