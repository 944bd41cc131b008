#pragma once

#include <selvage/simplifier/simplifier.h>

#include <optional>

namespace selvage {

// The least x with 0 <= x <= extent such that a condition on a loop variable from 0 to below extent
// holds just below x; nothing where it is no such condition: one comparison that gets no truer as
// the variable grows.
std::optional<Expr> end_of_interior(Expr condition, Expr variable, Expr extent, Simplifier& ranges);

}  // namespace selvage
