#pragma once

#include <selvage/expr/expr.h>

#include <vector>

namespace selvage {

// The parts of a conjunction, from left to right: of a && (b && c) all three; of anything else
// itself.
std::vector<Expr> conjuncts_of(Expr condition);

}  // namespace selvage
