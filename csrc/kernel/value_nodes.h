#pragma once

#include <selvage/ir/value.h>

#include <vector>

namespace selvage {

// The nodes that a value is made of, itself last: each once, operands before their users.
std::vector<ValueId> nodes_of(const ValueGraph& values, ValueId root);

// The integer expressions in one node: the subscripts of a Read, the expression of an Index.
std::vector<Expr> index_expressions(const ValueNode& node);

}  // namespace selvage
