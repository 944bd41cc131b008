#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/legality/analysis.h>

#include <span>
#include <vector>

namespace selvage {

// A loop of a nest whose points threads of a block share, along an axis that no loop is bound to:
//   for i in 100 (Bulk)       for i.turn in 4
//     body(i)                   parallel every.TIDx in 32 (TIDx)
//                                 if (every.TIDx < 25)
//                                   i = i.turn * 25 + every.TIDx
//                                   body(i)
struct SpreadLoop {
  std::size_t loop = 0;  // of TensorAnalysis::loops
  ParallelType axis = ParallelType::TIDx;
  std::int64_t threads = 1;  // a divisor of the loop's extent
};

// Those of a nest in the `open` outermost loops: what would be one copy, a box or a row, where it
// cannot be. Loops bound to Bulk, and where the tensor is copied by bulk, and vectors are not,
// serial ones and the vector as well: the innermost such loop shares the first axis, the one around
// it the next, and so on. A loop or an axis whose extent is no number is left.
std::vector<SpreadLoop> spread_loops(const Schedule& schedule, const TensorAnalysis& analysis,
                                     std::size_t open, bool is_vectorised, const Kernel& kernel);

// Shares them in a body, in which they are bound to Bulk; other such loops become serial.
void spread_over_threads(Body& body, std::span<const SpreadLoop> loops,
                         const TensorAnalysis& analysis, Kernel& kernel);

}  // namespace selvage
