#pragma once

#include <selvage/ir/value.h>

#include <span>

namespace selvage {

// The integer expressions in one node: the subscripts of a Read, the expression of an Index.
std::span<const Expr> index_expressions(const ValueNode& node);

}  // namespace selvage
