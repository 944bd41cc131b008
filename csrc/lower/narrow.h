#pragma once

#include <selvage/simplifier/simplifier.h>

namespace selvage {

// An equal expression none of whose intermediates leaves 32 bits, or else 64, if regrouping its
// sums achieves that; otherwise the expression as it is. A canonical sum is multiplied out, and
// x * 67108864 + c - 2147483648 leaves 32 bits where (x - 32) * 67108864 + c does not.
Expr narrowed(Expr e, Simplifier& ranges);

}  // namespace selvage
