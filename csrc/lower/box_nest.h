#pragma once

#include <selvage/legality/analysis.h>
#include <selvage/lower/draft.h>

namespace selvage {

// The nest of a cache that is copied by tensor maps (CopyBy::Tma), without its `open` outermost
// loops: the loops that are not bound to Bulk, and in them one copy of a box each, which brings the
// points of all loops that are.
//   for j in 4:
//     begin xs[0 .. +512] = box of x at (32*i, 16*j)
// No point is tested: the hardware brings 0 for what is out of bounds. One thread of the block
// issues the copies where no loop is bound to thread indices. Adds the tensor map to the kernel,
// and to draft.conditions what it needs of sizes and addresses (legality/tma.h).
//
// Throws Illegal what tma_copy() refuses, and E460 where the tile does not lie in shared memory as
// the hardware lays it out.
Body box_nest(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
              std::size_t open, BufferId tile, BufferId from, KernelDraft& draft);

// The same of a tensor in global memory that is a copy of a tile, whose boxes are stored:
//   proxy fence
//   barrier
//   box of y at (32*i, 16*j) = ys[0 .. +512]
//   end the group of stores
//   wait for stores
// `address`: of an element of the tile, at the nest's loops. Throws as well E465 where a box would
// store items of which the nest has none. A fold's boxes are combined with its items atomically.
Body box_store_nest(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
                    std::size_t open, BufferId tile, Expr address, BufferId to, KernelDraft& draft);

}  // namespace selvage
