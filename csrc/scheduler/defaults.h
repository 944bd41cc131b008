#pragma once

#include <selvage/ir/schedule.h>

namespace selvage {

// The schedule that is lowered: a copy in which every tensor has a place, and every loop that is
// shared with the nest around it has the block or thread index that it has there (E413 where it is
// bound otherwise, or where another loop is bound to the same index). Loops that the nest around
// has merged or swizzled with others are shared, too (Schedule::settle_joined).
//
// A tensor is placed here unless it is inlined or has a site, if it is a fold that follows, a
// partial tensor, or kept in shared or local memory. It is placed after all its readers (through
// inlined tensors). Its host is the innermost tensor in whose nest all readers are computed:
//   - A tensor whose loops nobody has touched becomes like(host).
//   - It is computed at the deepest loop of the host such that the tensor has each loop down to
//     there and does not fold over it, every reader shares it, and every reader reads at the same
//     index; if there is no such loop, compute_in(host). So no reader needs what another iteration
//     computes.
//   - A loop further in that is bound to a block index stays bound where each block of the readers
//     computes what it reads; else it is serial, so that each block computes all of it.
// A tensor instead gets a kernel of its own, in global memory and like the host or like the first
// reader, where the readers have no nest in common, where global memory is asked for, where it
// folds over a loop that is bound to a block index (no block sees another's part), or where its
// memory is left open and the number of elements that it would keep is not constant. E419 where
// such a tensor is to be kept in shared or local memory; E418 where a site is no loop any more.
Schedule with_defaults(const Schedule& schedule);

// The memory of a tensor that is computed inside another's nest: the one that the schedule names;
// else registers if only the thread that computes an element reads it; else shared memory.
Memory default_memory(const Schedule& schedule, TensorId t, bool is_read_by_own_thread);

}  // namespace selvage
