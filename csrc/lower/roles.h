#pragma once

#include <selvage/lower/draft.h>
#include <selvage/lower/kernels.h>

namespace selvage {

// Widens the launch of a kernel some of whose copies are made by warps of their own
// (Schedule::role), and notes which they are: behind all others, along the last axis in use. Throws
// Illegal E448 where the threads of a block are no number of whole warps, or too many.
void add_role_warps(const KernelRequest& request, KernelDraft& draft);

// Makes two regions of each loop that make_rings() has noted in draft.roles, a ring of one role, or
// of the outermost loop around it, as kernel/role_rings.h says the other way round:
//   region load:     by one thread:
//                    for k in n:  wait for free[k % S], phase k / S - 1
//                                 (if some copies are for all ranks of a cluster:
//                                  arrive at ready[k % S] of each
//                                  wait for ready[k % S], phase k / S)
//                                 the copies of iteration k
//   region compute:  for k in n:  wait for copied[k % S], phase k / S;  the rest of it;
//                                 proxy fence;  arrive at free[k % S]
// Barriers of the block in the rest become such of the region. Throws Illegal E448 where others
// than one thread copy.
void part_roles(const KernelRequest& request, KernelDraft& draft);

}  // namespace selvage
