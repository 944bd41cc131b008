#pragma once

#include <selvage/expr/expr.h>

#include <cstdint>

namespace selvage {

// The cost of computing an expression, where each use of a shared part counts: 10 per division or
// remainder, 3 per multiplication, 2 per select, 1 per other operator, nothing for a Let.
// Multiplying by 1 is free, and so is a sign that a sum takes up: a + -3 * b costs as much as a - 3
// * b. The weights are those by which the simplifiers of the field have been compared.
struct Cost {
  std::int64_t total = 0;      // saturates at kMost
  std::int64_t divisions = 0;  // and remainders, too

  static constexpr std::int64_t kMost = std::int64_t{1} << 40;
};
Cost cost_of(Expr e);

// What e's own operator adds to the costs of its operands.
std::int64_t operator_cost(Expr e);

// The number of conjuncts other than `true`: a && (b && c) has three.
std::int64_t clauses_of(Expr e);

}  // namespace selvage
