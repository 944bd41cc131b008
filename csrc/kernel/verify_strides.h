#pragma once

#include <selvage/kernel/verify_access.h>
#include <selvage/simplifier/linear.h>

#include <optional>
#include <utility>
#include <vector>

namespace selvage {

// Addresses are sums of strides: N*row + column with 0 <= column < N. Cut there, row and column
// can be asked about each for itself, and no product of unknowns is left.

// By what a sum may be cut: if wanted, numbers that multiply variables, small ones first; then
// products of sizes that do, fewest factors first.
std::vector<Expr> strides_of(const AccessMap& map, const LinearSum& sum, bool with_numbers);

// sum = stride * quotient + rest, where the quotient is not 0.
std::optional<Division> cut(ExprPool& pool, const LinearSum& sum, Expr stride);

// 0 <= rest and rest + units <= stride, wherever the scope is entered? Asked at the ends of ranges
// as well, of variables by which the rest grows steadily.
bool fits(const AccessMap& map, std::size_t scope, const LinearSum& rest, std::int64_t units,
          Expr stride);

// 0 <= address and address + units <= elements, by cutting both.
bool is_inside(const AccessMap& map, std::size_t scope, const LinearSum& address,
               std::int64_t units, const LinearSum& elements);

}  // namespace selvage
