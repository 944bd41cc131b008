// Sorting by merging: each pass merges runs of 1, 2, 4, .. items pairwise, and each place of a pass
// searches in both runs for the item that comes there. So every place is stored once, nothing is
// added atomically, and the result is the same in every run.
#pragma once

#include <selvage/ir/element.h>

namespace selvage {

struct Sorted {
  Tensor items;  // which do not fall
  Tensor order;  // an int64 for each: its number in what was sorted
};
// The items of x, integers on one axis; equal ones stay in their order. There are as many passes as
// the number of items has binary digits; if that has no bound, the launch checks that it is at most
// 2^31 - 1. Throws BadInput E511 for another rank, and for another type.
Sorted stable_sort(Tensor x);

}  // namespace selvage
