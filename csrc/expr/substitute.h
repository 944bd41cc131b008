#pragma once

#include <selvage/expr/expr.h>

#include <utility>
#include <vector>

namespace selvage {

// Symbols, each with the expression that it stands for.
using Environment = std::vector<std::pair<Expr, Expr>>;

// The expression with those symbols replaced, within Lets as well. Nothing is simplified, and
// nothing is replaced within what was put in. Linear in the number of distinct nodes, however deep
// they nest.
Expr substitute(Expr e, const Environment& environment);

// The same with every Let replaced by its definition: written as a tree the result may be large.
Expr written_out(Expr e, const Environment& environment = {});

}  // namespace selvage
