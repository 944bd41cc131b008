#pragma once

#include <selvage/ir/fusion.h>
#include <selvage/ir/scalar.h>

#include <span>

namespace selvage {

// What elements come to when they are folded into one: the definition of every reduction. They are
// in the type of the fold and in row-major order; the result is in the compute type of the result's
// own (result_type in ir/identity.h).
//   sum, prod, mean   of floats: in double, one element after the other, rounded once at the end;
//                     integers wrap around in 64 bits
//   var               in double, in two passes: the mean, then the squares of distances from it, by
//                     how many items there are less the correction (0 if that is less)
//   max, min          as the functions on two elements: NaNs are passed over, -0.0 is below 0.0
//   any, all          of bools
//   argmax, argmin    the number of the first of equals; NaNs are passed over; 0 if nothing else
//                     is there
// Of nothing: 0, 1, 0 / 0, 0 / 0, the lowest and the highest value (infinities of floats) of the
// fold's type, false, true, 0.
Scalar fold_plainly(const Fold& fold, std::span<const Scalar> elements);

}  // namespace selvage
