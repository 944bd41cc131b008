#pragma once

#include <selvage/lower/barriers.h>
#include <selvage/threads/thread_origin.h>

#include <functional>
#include <vector>

namespace selvage {

// The beginning and the end of each item that holds inner levels is a *join*: the threads that run
// the code around the item come together there. The joins and the barriers written in a program are
// its whole order, so they alone decide which accesses race. Which joins become barriers, and where
// between two accesses these stand, is decided by lower/barriers.h.

// Whether a join stands between two accesses that the kernel makes one after the other. `loop`: the
// second one is in a later iteration of it. `origins`: numbered from 1 by Statement::origin.
bool are_joined(const std::vector<ThreadOrigin>& origins, const AccessMap& map, std::size_t first,
                std::size_t second, std::optional<PlaceId> loop);

// The body with each statement for which `is_join` holds replaced by a barrier of all threads that
// get there: of the block or, under a guard, of those that pass it (`within`), if a barrier can
// join these.
Body with_joins(Body body, const std::function<bool(const Statement&)>& is_join,
                const Within& within);

}  // namespace selvage
