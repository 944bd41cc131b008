#pragma once

#include <selvage/lower/barriers.h>
#include <selvage/threads/thread_origin.h>

#include <functional>
#include <vector>

namespace selvage {

// The beginning and the end of each item that holds inner levels is a *join*: the threads that run
// the code around it come together there. Together with the barriers that a program writes down
// joins are all that orders its threads, so they alone say what races. Which of them become
// barriers, and where between two accesses these stand, is another question (lower/barriers.h).

// Of two accesses that the kernel makes one behind the other: do joins stand between them?
// `origins`: what Statement::origin numbers from 1.
bool are_joined(const std::vector<ThreadOrigin>& origins, const AccessMap& map, std::size_t first,
                std::size_t second, std::optional<PlaceId> loop);

// A body in which each statement that `is_join` becomes a barrier of all who get there: the block
// or, under a guard, those who pass it (`within`), where these can wait for one another.
Body with_joins(Body body, const std::function<bool(const Statement&)>& is_join,
                const Within& within);

}  // namespace selvage
