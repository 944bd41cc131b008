#pragma once

#include <selvage/expr/expr.h>

#include <utility>
#include <vector>

namespace selvage {

// What each index symbol of a definition stands for where the definition is computed.
using Environment = std::vector<std::pair<Expr, Expr>>;

// The expression with those symbols replaced, nothing simplified; a Let stays as it is.
Expr substitute(Expr e, const Environment& environment);

}  // namespace selvage
