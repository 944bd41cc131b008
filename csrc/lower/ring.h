#pragma once

#include <selvage/lower/draft.h>
#include <selvage/lower/kernels.h>

namespace selvage {

// Makes rings of the loops at which tensors are computed whose copies end later
// (Schedule::copy). In
//
//   for k in n:
//     xs[k % S] = x[k]
//     y[k] = f(xs[k % S])
//
// the copies of iteration k are begun P iterations before what uses them, P <= S - 1: the loop is
// longer by P, and each half is a hole of it at one end.
//
//   for q in n + P:
//     wait for copies but the last P - 1 groups
//     barrier
//     if (q < n):              k = q
//       begin xs[k % S] = x[k]
//     end the group of copies
//     if (P <= q):             k = q - P
//       y[k] = f(xs[k % S])
//
// Each iteration closes one group, an empty one as well, so at iteration q the groups of iterations
// up to q - P have ended, that is, the copies of k; the barrier says so to all threads. What is
// copied meanwhile, iterations q - P + 1 to q, has other slots, as they are less than S apart, and
// slot q % S was last read in an iteration before the barrier. So one barrier is enough, whose
// place is fixed here; with P = 0 the wait stands behind the copies. kernel/verify_copies.h proves
// it of the kernel that comes out.
//
// A store of one element is a copy if the element is 4 or 8 bytes, and a vector if it is 4, 8 or
// 16, both from global memory and unchanged. Others stay stores, made as early. E448 where no store
// of a tensor is a copy, unless the kernel is one without vectors; that kernel then loads and
// stores.
//
// Bulk copies (CopyBy::Bulk) are vectors of any multiple of 16 bytes, or the first elements of one
// that are there (lower/late_copies.h). They belong to barrier
// objects, one for each iteration that may be under way:
//
//   for q in n + P:
//     wait for object[q % P], phase q / P - 1
//     proxy fence
//     barrier
//     if (q < n):              k = q
//       begin xs[k % S] = x[k] for object[k % P], announced
//       arrive at object[k % P]
//     if (P <= q):             k = q - P
//       y[k] = f(xs[k % S])
//
// The wait of iteration q is for what iteration q - P arrives at (kernel/verify_objects.h); before
// that it is for phase -1, which is over. All threads wait and see what was copied, and all meet at
// the barrier behind their reads before a copy overwrites them. With P = 0 the wait stands behind
// the arrival; where the loop is one of blocks, there is neither fence nor barrier then. Where the
// ring runs again in each iteration of loops around it, its phases go on: q and k count then from
// n times the number of runs before.
//
// Appends the conditions of the guards to draft.uniform: they are the same for all threads of a
// block.
void make_rings(const KernelRequest& request, KernelDraft& draft);

// P of the ring at a loop at which a tensor is copied: the least of all tensors that are copied
// there.
std::int64_t ahead_at(const Schedule& schedule, const Schedule::Site& site);

}  // namespace selvage
