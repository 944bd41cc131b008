#pragma once

#include <selvage/ir/fast_math.h>
#include <selvage/ir/fold.h>

#include <functional>
#include <limits>
#include <span>

namespace selvage {

// Bounds for the difference between a value of the unscheduled program and that of a kernel, which
// folds floats in another order. The bound is 0 for a value that depends on no such fold, and kOpen
// for a value that a near tie decides, or that has no finite bound.
inline constexpr double kOpen = std::numeric_limits<double>::infinity();

// A value of the unscheduled program and the bound for a kernel's difference from it.
struct Uncertain {
  Scalar value;
  double error = 0;
};

// Assumptions about kernels.
struct ErrorModel {
  // For a fold of n items: the most additions that one item goes through, one after the other; at
  // most n.
  std::function<std::int64_t(std::int64_t)> longest_chain = [](std::int64_t n) { return n; };
  // The error of exp, tanh and the like, in half units in the last place of the result, or of 1 if
  // that is more.
  double functions = 0;
};

// The bound for f(operands) = result, where kernels compute f as `math` says. Errors of operands
// are propagated to first order, or exactly where that is as easy; the rounding of the result may
// differ, too.
double error_of(Function f, std::span<const Uncertain> operands, const Scalar& result,
                const ErrorModel& model, Math math = Math::Exact);
double error_of_conversion(const Uncertain& from, DataType to, const Scalar& result);
// The bound for a fold of n items into `result`, with u half a unit in the last place of 1, c the
// longest chain, s the sum of magnitudes (Higham, Accuracy and Stability of Numerical Algorithms,
// chapters 1 and 4):
//   sum    c * u * s          mean   the same by n
//   prod   ((1 + u)^n - 1) of the result
//   var    4 * n * u * sqrt(m * (m + n * mean * mean)) + n * (2 * n * u * mean)^2 by n less the
//          correction, m being the sum of squared distances; in one pass or in two
// kOpen if some order of the items leaves the range of the type on the way.
double error_of_fold(const Fold& fold, std::span<const Uncertain> items, const Scalar& result,
                     const ErrorModel& model);

// The same for a scan, element by element: take() gives the bound for the fold of all items so far,
// which may be added up in any order, and so in a chain of all of them.
class ScanErrors {
 public:
  explicit ScanErrors(const Fold& fold) : fold_(fold) {}
  double take(const Uncertain& item, const Scalar& result);

 private:
  const Fold& fold_;
  std::int64_t items_ = 0;
  double most_ = 0, errors_ = 0, magnitudes_ = 0;  // largest error; sums of errors, of magnitudes
  double bound_ = 1, up_ = 1, down_ = 1;  // of a product: bound, largest and least of parts
  bool is_finite_ = true;                 // all items so far
};

// Whether `actual`, a value of type `stored`, may be a value within `error` of `expected` rounded
// to that type.
bool is_within(double expected, double actual, double error, DataType stored);

}  // namespace selvage
