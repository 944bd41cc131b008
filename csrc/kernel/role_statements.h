#pragma once

#include <selvage/kernel/kernel.h>

#include <set>
#include <span>

namespace selvage {

// What the statements of the two roles of a ring (kernel/role_rings.h) do.

bool is_block_barrier(const Statement& s);
// The empty body inside of statements that stand alone, one inside of the other.
Body& innermost_of(Body& around);
// What the copies of a ring of two roles fill.
std::set<BufferId> tiles_of(const Body& copies);
// Whether the uses do more with shared memory than to read the tiles: then they need barriers of
// the block before and behind the regions.
bool accesses_more(const Kernel& kernel, std::span<const Statement> use,
                   const std::set<BufferId>& tiles);

// Whether a value is made of what the kernel stores or keeps.
bool reads_stores(const Kernel& kernel, const Statement& s);
// Whether statements do no more than to begin copies for objects, of what the kernel does not
// store, and to arrive there; or, if a fence stands before the next copies, to store elements of
// tiles themselves.
bool only_copies(const Kernel& kernel, const Body& body, BufferId full, bool has_fence);
// Whether statements wait for one another by barriers of the region or of warps alone; barriers of
// the region become such of the block.
bool only_uses(Body& body, const Region& region);
// Statements of the members of a region alone, who meet the others at barriers of the block.
Body for_members(Body use, const Region& region);

}  // namespace selvage
