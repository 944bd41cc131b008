#pragma once

#include <selvage/expr/expr.h>

#include <span>
#include <string_view>

namespace selvage {

// A symbol that is not in `taken`: `name` or, if that is taken, `name` with a number: k, k#2, k#3.
// No user can write a name with #.
Expr fresh_symbol(ExprPool& pool, std::string_view name, std::span<const Expr> taken);

}  // namespace selvage
