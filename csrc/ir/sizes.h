#pragma once

#include <selvage/ir/fusion.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace selvage {

// Sizes and the values that they have in a run.
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

// The size of a fusion with this name. Throws BadInput E614 if there is none.
Expr size_called(const Fusion& fusion, const std::string& name);

// What the facts of a fusion say of a size: numbers that it lies between.
Interval range_of(const Fusion& fusion, Expr size);

// The facts together with the sizes' values.
Facts with_values(Facts facts, const SizeValues& sizes);

// Solves e == value for the size n, all other sizes in the extent `e` being known: 4 * K == 1024
// gives 256. Nothing if there is no solution, or perhaps more than one.
std::optional<std::int64_t> solved_for(Expr n, Expr e, std::int64_t value, const SizeValues& known,
                                       const Facts& facts);

// "M = 4, N = 70000": the sizes in an expression that have values.
std::string sizes_in(Expr e, const SizeValues& sizes);

// "K = 8": one size in `conditions` and a value near its present one, with which they hold. Prefers
// a value with which everything holds that the fusion says of its sizes. Empty if none is found.
std::string nearby_size(const Fusion& fusion, std::span<const Expr> conditions,
                        const SizeValues& sizes);

// Throws BadInput: E614 a size of the fusion that has no value, E615 one that its facts rule out,
// or values that break a relation between sizes.
void check_sizes(const Fusion& fusion, const SizeValues& sizes);

// Whether a size that may be 0 is 0, or an extent of a tensor or of what is folded over. What the
// fusion is lowered to takes each for at least 1.
bool have_zero_extent(const Fusion& fusion, const SizeValues& sizes);

}  // namespace selvage
