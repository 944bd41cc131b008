#pragma once

#include <selvage/expr/expr.h>

#include <span>
#include <string_view>

namespace selvage {

// A symbol that is none of those that are taken: the one of that name or, where that is taken, of
// the name with a number behind it: k, k#2, k#3. No such name is written by anybody.
Expr fresh_symbol(ExprPool& pool, std::string_view name, std::span<const Expr> taken);

}  // namespace selvage
