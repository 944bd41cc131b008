#pragma once

#include <selvage/ir/fusion.h>
#include <selvage/ir/scalar.h>

#include <span>

namespace selvage {

// Folds elements into one: the definition of every reduction. The elements have the type of the
// fold and are in row-major order; the result has the compute type of result_type (ir/identity.h).
//   sum, prod, mean   of floats: in double, one element after the other, rounded once at the end;
//                     integers wrap around in 64 bits
//   var               in double, in two passes: the mean, then the squares of distances from it, by
//                     how many items there are less the correction (0 if that is less)
//   max, min          as the functions on two elements: NaNs are passed over, -0.0 is below 0.0
//   any, all          of bools
//   argmax, argmin    the number of the first of equals; NaNs are passed over; 0 if all are NaNs
// Without elements, in this order: sum 0, prod 1, mean 0 / 0, var 0 / 0, max (min) the lowest
// (highest) value of the fold's type, or an infinity, any false, all true, argmax and argmin 0.
Scalar fold_plainly(const Fold& fold, std::span<const Scalar> elements);

// The definition of every scan: take() gives what fold_plainly gives of all elements so far.
class PlainScan {
 public:
  explicit PlainScan(const Fold& fold);
  Scalar take(const Scalar& element);

 private:
  const Fold& fold_;
  double real_;    // of a sum or product of floats
  Scalar so_far_;  // of all others
};

}  // namespace selvage
