#pragma once

#include <selvage/simplifier/simplifier.h>

#include <optional>

namespace selvage {

// For a loop variable v in [0, extent): the x with 0 <= x <= extent such that the condition holds
// exactly for v < x. The condition must be one comparison that is monotone: if it fails at v, it
// fails at all greater v. Any other condition gives nullopt.
std::optional<Expr> end_of_interior(Expr condition, Expr variable, Expr extent, Simplifier& ranges);

}  // namespace selvage
