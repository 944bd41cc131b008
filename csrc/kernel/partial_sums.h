#pragma once

#include <selvage/simplifier/linear.h>
#include <selvage/simplifier/simplifier.h>

namespace selvage {

// May the terms be added in any order? Yes, where no partial sum is larger than the whole, nothing
// being negative, or where the sum of all magnitudes is proved to fit 32 bits.
bool any_order_fits(const LinearSum& sum, Simplifier& ranges);
bool is_nonnegative(Expr e, Simplifier& ranges);

}  // namespace selvage
