#pragma once

#include <selvage/expr/expr.h>

#include <cstdint>
#include <unordered_map>

namespace selvage {

// What stands for a symbol, by the symbol's id.
using Substitution = std::unordered_map<std::uint32_t, Expr>;

// The expression with those symbols replaced everywhere, definitions of Lets included; nothing
// simplified. Linear in the number of nodes, however deep they nest.
Expr substitute(Expr e, const Substitution& values);

}  // namespace selvage
