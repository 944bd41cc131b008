#pragma once

#include <selvage/ir/value.h>

#include <span>
#include <string_view>
#include <vector>

namespace selvage {

// The integer expressions in one node: the subscripts of a Read, the expression of an Index.
std::span<const Expr> index_expressions(const ValueNode& node);

// The functions that are computed fast (ir/fast_math.h), each once, in the order of Function.
std::vector<std::string_view> fast_functions(const ValueGraph& values);

}  // namespace selvage
