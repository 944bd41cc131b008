#pragma once

#include <selvage/kernel/verify_access.h>

#include <set>

namespace selvage {

// The slots of tiles in shared memory, equal parts of a buffer: that of number i % slots belongs to
// iteration i of a ring, where i counts on from one run of the ring to the next.
class TileSlots {
 public:
  // Changes `kernel`, a copy of the one with these accesses; both must outlive it.
  TileSlots(const AccessMap& accesses, Kernel& kernel) : accesses_(accesses), kernel_(kernel) {}

  // Whether a tile has so many slots, and each iteration accesses its own alone. `turn`: the
  // iteration, over variables of loops.
  bool are(BufferId tile, Expr turn, std::int64_t slots) const;
  // Gives iteration k of each run slot k % slots instead, in statements of the copy. `rank`: that
  // of a block in a cluster, where each has slots of its own; else invalid.
  void begin_at_0(Body& body, BufferId tile, Expr k, std::int64_t slots, Expr rank,
                  Simplifier& known);

 private:
  const AccessMap& accesses_;
  Kernel& kernel_;
  std::set<ValueId> moved_;  // reads of tiles that are changed already
};

}  // namespace selvage
