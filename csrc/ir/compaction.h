// The items of a tensor at which a condition holds, one after the other: a cumulative sum counts
// them, and each place of the result searches in it for its item. So every place is stored once,
// nothing is added atomically, and the result is the same in every run.
#pragma once

#include <selvage/ir/ops.h>

#include <optional>

namespace selvage {

// How many items of `sorted`, which has one axis and does not fall, are below each item of `values`
// or, if `right`, not above it: an int64 each. As PyTorch's function of that name, and NumPy's with
// its operands the other way round. Each takes as many comparisons as the number of items has
// binary digits; if that has no bound, the launch checks that it is at most 2^31 - 1. Throws
// BadInput E511 if `sorted` has another rank.
Tensor searchsorted(Tensor sorted, Tensor values, bool right = false);

struct Compacted {
  Tensor items;  // of one axis, as long as there are items of x, or `length`; zeros behind them
  Tensor kept;   // by item, row by row: how many are kept up to it
  Tensor count;  // a scalar, an int64: how many were kept, even if `length` is less
};
// The items of x, row by row, at which `keep`, of the same shape, is true (or not 0). Throws
// BadInput E511 if the shapes differ.
Compacted compact(Tensor x, Tensor keep, std::optional<Expr> length = {});

}  // namespace selvage
