#pragma once

#include <selvage/expr/expr.h>

#include <span>
#include <vector>

namespace selvage {

// Every node in the expressions once, operands before their users, in the order in which they
// occur; a Let is replaced by its value. The order depends only on the expressions, and not on what
// the pool has held before, so Z3 always gets the same text.
std::vector<Expr> operands_first(std::span<const Expr> expressions);

}  // namespace selvage
