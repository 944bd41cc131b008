#pragma once

#include <selvage/ir/fold.h>

#include <functional>
#include <limits>
#include <span>

namespace selvage {

// How far a value may be from what a kernel computes that folds floats in an order of its own. What
// depends on no such fold is exact: 0. Where a near tie decides, or nothing finite bounds it,
// kOpen.
inline constexpr double kOpen = std::numeric_limits<double>::infinity();

// A value of the unscheduled program and how far a kernel's may be from it.
struct Uncertain {
  Scalar value;
  double error = 0;
};

// What kernels do besides.
struct ErrorModel {
  // Of so many items folded into one, through how many additions one after the other the longest
  // way of an item leads; n at most.
  std::function<std::int64_t(std::int64_t)> longest_chain = [](std::int64_t n) { return n; };
  // By how much exp, tanh and the like may be off: half units in the last place of the result, or
  // of 1 where that is more.
  double functions = 0;
};

// Errors of operands are carried on to first order and to all of it where that is as easy, and the
// rounding of the result is allowed to differ.
double error_of(Function f, std::span<const Uncertain> operands, const Scalar& result,
                const ErrorModel& model);
double error_of_conversion(const Uncertain& from, DataType to, const Scalar& result);
// Of a fold into `result`, with u half a unit in the last place of 1, c the longest chain of the n
// items x, s the sum of their magnitudes (Higham, Accuracy and Stability of Numerical Algorithms,
// chapters 1 and 4):
//   sum    c * u * s          mean   the same by n
//   prod   ((1 + u)^n - 1) of the result
//   var    4 * n * u * sqrt(m * (m + n * mean * mean)) by n less the correction, m being the sum of
//          squared distances
// Where some order of the items leaves the range of the type on the way, nothing bounds it.
double error_of_fold(const Fold& fold, std::span<const Uncertain> items, const Scalar& result,
                     const ErrorModel& model);

// Is this what the type may hold of a value that is expected to be within `error` of another?
bool is_within(double expected, double actual, double error, DataType stored);

}  // namespace selvage
