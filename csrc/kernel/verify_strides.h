#pragma once

#include <selvage/kernel/verify_access.h>
#include <selvage/simplifier/linear.h>

#include <optional>
#include <utility>
#include <vector>

namespace selvage {

// Cuts addresses at strides: with N*row + column and 0 <= column < N, claims about row and column
// are proved separately, and no product of unknowns is left.

// The strides that may cut a sum: if `with_numbers`, numbers that multiply variables, small ones
// first; then products of sizes that multiply variables, fewest factors first; then sums of these
// that multiply one variable, such as M + N in a row of two parts.
std::vector<Expr> strides_of(const AccessMap& map, const LinearSum& sum, bool with_numbers);

// sum = stride * quotient + rest; nullopt if the quotient is 0.
std::optional<Division> cut(ExprPool& pool, const LinearSum& sum, Expr stride);

// Whether 0 <= rest and rest + units <= stride is proved wherever the scope is entered. Also tried
// with variables in which the rest is monotone replaced by the ends of their ranges.
bool fits(const AccessMap& map, std::size_t scope, const LinearSum& rest, std::int64_t units,
          Expr stride);

// Whether 0 <= address and address + units <= elements is proved, by cutting both.
bool is_inside(const AccessMap& map, std::size_t scope, const LinearSum& address,
               std::int64_t units, const LinearSum& elements);

}  // namespace selvage
