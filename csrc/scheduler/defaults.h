#pragma once

#include <selvage/ir/schedule.h>

namespace selvage {

// The schedule that is lowered: everything that has no place yet has got one, and loops that are
// shared with the nest around are bound to the block and thread indices that they are bound to
// there (E413 where they are bound otherwise, or another loop to the same). No place yet have
//   folds that follow, partial tensors, and tensors that are kept in shared or local memory,
// unless they are inlined or have a site. Each is placed after all who read it (through inlined
// tensors), at the innermost tensor in whose nest all of them are computed, its host:
//   - Where nobody has touched its loops, it becomes like(host).
//   - It is computed at the deepest loop of the host such that each loop down to there is a loop
//     of its own that it does not fold over, is shared by every reader, and is read at the same
//     index by each; if there is none, compute_in(host). So no reader wants what another
//     iteration computes.
//   - A loop further in that is bound to a block index stays so where the readers' block is the
//     one that computes what they read, and is serial otherwise: each block computes all of it.
// It is a kernel of its own, in global memory and like the host or like the first reader, where
// the readers have no nest in common, where global memory is asked for, where it folds over
// what blocks share in (no block sees what another one comes to), or where nothing is said of its
// memory and how many elements it would keep is no number. E419 where it is kept in shared
// or local memory and would have to be one; E418 where a site is no loop any more.
Schedule with_defaults(const Schedule& schedule);

// Where a tensor that is computed inside another's nest is kept: where the schedule says; else in
// registers, if each element is read by the thread that computes it alone, and else in shared
// memory.
Memory default_memory(const Schedule& schedule, TensorId t, bool is_read_by_own_thread);

}  // namespace selvage
