#pragma once

#include <selvage/legality/analysis.h>

#include <vector>

namespace selvage {

// How the loops of a scan go along its axis: steps, which are serial, then threads, then the items
// of a thread, which are serial or a vector again. Any of the three may be missing.
//   y[n] = cumsum of x, n split into steps of 128, and 128 into 32 threads with 4 items each
//     step 0   thread 0: 0 1 2 3   thread 1: 4 5 6 7   ...   thread 31: 124 125 126 127
//     step 1   thread 0: 128 ...
struct ScanOrder {
  std::size_t first = 0;  // the first loop of the axis, by its number in TensorAnalysis::loops
  // The loops from `step` on run inside of one step of one thread; those of the axis before it are
  // steps and threads. Without threads: `first`.
  std::size_t step = 0;
  std::vector<ParallelType> threads = {};  // the loops of the axis bound to them, innermost first
  bool has_steps = false;
};

// Throws Illegal E434 where a loop of the axis is bound to a block index, E444 where the loops
// would not take elements in order.
//
// Why they do otherwise: a split, x = o * n + i with 0 <= i < n, a merge and a resize keep order,
// as a lesser outer index, or an equal one and a lesser inner index, is a lesser x. So loops that
// come of the axis by these alone, and stand in the order in which they came of it, visit valid
// points from the first to the last. Threads run at once: what each folds is put in order
// afterwards, which is right where all items of a thread lie between those of its neighbours, so no
// serial loop may stand between two that are bound to threads.
ScanOrder scan_order(const Fusion& fusion, const Schedule& schedule,
                     const TensorAnalysis& analysis);

}  // namespace selvage
