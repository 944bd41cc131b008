#pragma once

#include <selvage/expr/expr.h>

#include <utility>
#include <vector>

namespace selvage {

// What symbols stand for.
using Environment = std::vector<std::pair<Expr, Expr>>;

// The expression with those symbols replaced, within Lets as well; nothing is simplified, and what
// is put in is not looked at again. Linear in the number of distinct nodes, however deep they nest.
Expr substitute(Expr e, const Environment& environment);

// The same, and every Let is what it names: as a tree it may be large.
Expr written_out(Expr e, const Environment& environment = {});

}  // namespace selvage
