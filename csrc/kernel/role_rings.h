#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/simplifier/simplifier.h>

#include <memory>
#include <optional>

namespace selvage {

// Rings of two roles: some warps copy tiles, the others use them.
//
//   region load:    by some of its threads, one as a rule:
//                   for k in n:  wait for empty[k % S], phase k / S - 1
//                                begin copies for full[k % S], announced; arrive there
//                   (with a proxy fence behind the wait where they store elements as well)
//   region compute: for k in n:  wait for full[k % S], phase k / S
//                                use
//                                proxy fence; arrive at empty[k % S]
//
// Theorem 15 (doc/theory.md). Let all threads of the region compute arrive at empty, nothing else
// use the objects, and each access to a tile be to a slot that iterations have in turn, at least S
// of them. Then what the copies of one iteration and the uses of another do is ordered as in the
// ring of one role with S - 1 iterations ahead (kernel/verify_objects.h):
//
//   for q in n + S - 1:
//     wait for full[(q + 1) % S], phase (q + 1) / S - 1
//     proxy fence
//     barrier
//     if (q < n):        k = q:          begin copies for full[k % S], announced; arrive there
//     if (S - 1 <= q):   k = q - S + 1:  use
//
// where the threads of each region do what was its body.
//
// In a cluster each rank has such a ring. If some copies are for all ranks (AsyncCopy::by_rank), S
// objects more, ready, of an arrival of each rank, stand in front of them (theorem 20):
//                  arrive at ready[k % S] of each rank;  wait for ready[k % S], phase k / S
// and the barrier of the one ring is of the cluster (theorem 17).
//
// Both loops may stand in loops and guards that the two regions have alike, around what compute
// does besides: the ring runs again and again. Slots and phases go on then: i = k + n * r stands
// for k, where it has run r times before, also in the addresses of tiles.
//
// Which other accesses the barrier of the one ring orders, and nothing does in the other, is looked
// for: uses may access other shared memory only behind a barrier of their region, with barriers of
// the block before and behind the regions, and copy nothing that the kernel stores. Of global
// memory it is proved of the uses alone.

// Kernels by which one with rings of two roles is proved.
struct MergedRoles {
  std::shared_ptr<const Kernel> rings;  // each is one of one role there
  // The same without the copies, and without the barriers of the rings; null where those who use
  // tiles have such barriers of their own.
  std::shared_ptr<const Kernel> uses;
  std::shared_ptr<SimplifiersByFacts> simplifiers = {};  // that it took to find this
};
// nullopt: it has none, or has regions that are no such rings.
std::optional<MergedRoles> with_roles_merged(const Kernel& kernel);
// The kernel as the threads that copy run it, but for the copies: without the regions.
std::shared_ptr<const Kernel> without_regions(const Kernel& kernel);

}  // namespace selvage
