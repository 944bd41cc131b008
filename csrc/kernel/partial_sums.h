#pragma once

#include <selvage/simplifier/linear.h>
#include <selvage/simplifier/simplifier.h>

namespace selvage {

// Whether the terms may be added in any order: if no term is negative, so that no partial sum is
// larger than the whole, or if the sum of all magnitudes is proved to fit 32 bits.
bool any_order_fits(const LinearSum& sum, Simplifier& ranges);
bool is_nonnegative(Expr e, Simplifier& ranges);

}  // namespace selvage
