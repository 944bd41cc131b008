#pragma once

#include <selvage/expr/expr.h>

#include <span>
#include <vector>

namespace selvage {

// Every node that occurs in the expressions once, Let looked through, operands before their users,
// first come first: the order depends on the expressions alone, never on what the pool held before,
// so Z3 is always asked in the same words.
std::vector<Expr> operands_first(std::span<const Expr> expressions);

}  // namespace selvage
