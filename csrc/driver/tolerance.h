#pragma once

#include <selvage/ir/fusion.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace selvage {

// How far an element may be from that of the unscheduled program. Nothing, to the last bit, unless
// it hangs, through any number of tensors, on a fold of floats whose result depends on the order:
//   sum, prod, mean, var   Let n be how many items are folded into one (of folds of folds, the
//                          product), u half a unit in the last place of 1 in the fold's type
//                          (2^-24 of float, 2^-53 of double). The unscheduled program folds in
//                          double and rounds once; a kernel rounds up to n times, in any order, and
//                          errors add up as in a random walk. A float element may be off by
//                            (r + 8 u sqrt(n)) * max(1, |expected|, |actual|)
//                          with r = 2^-9, 2^-6, 2^-18, 2^-46 for elements stored as half, bfloat16,
//                          float and double; where a sum is among the folds, items of size 1 make
//                          values of size sqrt(n), and 1 stands for sqrt(n) there
//   max, min               0.0 and -0.0 are as good as one another
// An integer or a bool that hangs on such a fold (an argmax of sums, a comparison with a mean) must
// be equal all the same: near ties it may not be, and one chooses other inputs.
class Tolerance {
 public:
  bool allows(double expected, double actual) const;
  bool is_exact() const { return relative_ == 0 && !ignores_signs_of_zeros_; }

  // On a GPU exp, tanh and the like may be off by r.
  void allow_functions(DataType type);

 private:
  friend std::vector<Tolerance> tolerances(const Fusion& fusion,
                                           const std::function<std::int64_t(Expr)>& extent);

  double relative_ = 0;
  double least_scale_ = 1;
  bool ignores_signs_of_zeros_ = false;
};

// By tensor, where `extent` gives every extent its value.
std::vector<Tolerance> tolerances(const Fusion& fusion,
                                  const std::function<std::int64_t(Expr)>& extent);

}  // namespace selvage
