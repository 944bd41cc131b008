#pragma once

#include <selvage/simplifier/facts.h>

namespace selvage {

// The expression simplified, with what is known of multiples put in as products: where C is a
// multiple of 4, C is 4 * c for an integer c, and C / (C / 4) is 4 * c / c, which is 4.
Expr simplify_with_multiples(const Facts& facts, Expr e);

}  // namespace selvage
