#pragma once

#include <selvage/simplifier/facts.h>

namespace selvage {

// Simplifies e with known multiples written as products: if C is a multiple of 4 it is 4 * c for an
// integer c, and C / (C / 4) is 4 * c / c, which is 4. Returns the cheaper of this and simplify(e).
Expr simplify_with_multiples(const Facts& facts, Expr e);

}  // namespace selvage
