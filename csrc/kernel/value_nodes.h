#pragma once

#include <selvage/ir/value.h>

#include <vector>

namespace selvage {

// The integer expressions in one node: the subscripts of a Read, the expression of an Index.
std::vector<Expr> index_expressions(const ValueNode& node);

}  // namespace selvage
