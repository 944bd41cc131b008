#pragma once

#include <selvage/kernel/kernel.h>

namespace selvage {

// The kernel as one block of a cluster runs it (Launch::is_cluster): its buffers in shared memory
// are the pieces of the block, an address is that within the piece, and a value read in the piece
// of another rank has the rank as a second subscript; an arrival at an object there names the rank.
// Throws Illegal E706 where a statement accesses another rank's memory otherwise.
Kernel rank_form(const Kernel& kernel);

// Whether all that a loop bound to Multicast does is to begin copies, each by the rank that its
// iteration is for, as many in each.
bool is_one_turn_a_rank(const Loop& loop);

}  // namespace selvage
