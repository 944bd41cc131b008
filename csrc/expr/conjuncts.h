#pragma once

#include <selvage/expr/expr.h>

#include <vector>

namespace selvage {

// The parts of a conjunction, from left to right: of a && (b && c) all three; of anything else
// itself.
std::vector<Expr> conjuncts_of(Expr condition);

// a || b, with what both say in front of it: a proof takes parts of a conjunction one by one.
Expr either(Expr a, Expr b);

}  // namespace selvage
