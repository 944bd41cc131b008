#pragma once

#include <selvage/ir/schedule.h>

namespace selvage {

// A fold whose blocks meet in its memory (Schedule::meet_atomically), and whose own list says that
// it is copied by bulk or by tensor maps: each block has a tile of its results in shared memory,
// and rows or boxes of the tile are combined with what other blocks have left
// (cp.reduce.async.bulk).
//   for m in M / 32 (BIDy)
//     for n in N / 32 (BIDx)
//       for k in K / 1000 (BIDz)        y folds over it, and over no other loop
//         parts = ...                   of this block
//         box of y at (32*m, 32*n) += parts
// As every loop that is folded over is one of blocks, a block has one element for each item, and
// no state. Where a kernel has no such copies, threads combine the elements one by one.
bool is_combined_by_copies(const Schedule& schedule, TensorId t);

// Throws E468 where it is combined by copies, and these cannot do that: its blocks do not meet, it
// folds over a loop of no blocks, or the hardware has no such combination of its type.
void check_combined_by_copies(const Schedule& schedule, TensorId t);

// Throws E468: what a block has of it is no tile in shared memory of the type that it is stored in.
[[noreturn]] void refuse_combined_tile(const Schedule& schedule, TensorId t);

}  // namespace selvage
