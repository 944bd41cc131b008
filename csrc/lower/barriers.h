#pragma once

#include <selvage/kernel/verify_meeting.h>

#include <functional>
#include <optional>

namespace selvage {

// add_barriers() inserts a barrier between each two accesses of one buffer by different threads of
// a block, at least one a write, that no barrier orders yet, be it on the way from the one to the
// other or around a loop. Each barrier stands as late as possible, and outside a loop rather than
// inside, so that there are few.
//
// A guarded body gets no barriers, since part of the threads would not reach them, unless `within`
// returns barriers for just those threads that pass the guard.
//
// Barriers of all the block or of whole warps that the kernel has already count as order. Partial
// barriers count only if they are those that `within` returns for the guard around them. Barriers
// after a Leave do not count in the loop that it leaves.
//
// `orders` says whether a barrier may be inserted for two accesses, given by their numbers in the
// map, the earlier one first; `loop`: they are in different iterations of that loop. Empty: always.
using Orders = std::function<bool(const AccessMap& map, std::size_t first, std::size_t second,
                                  std::optional<PlaceId> loop)>;
// Barriers for the threads that pass a guard. If either all threads of the block (of each warp)
// pass the guard or none, `block` is Barrier{} (`warp` is a Warp barrier of all lanes): then it
// orders accesses outside the guard as well.
struct GuardBarriers {
  std::optional<Barrier> block;  // joins those threads of the block
  std::optional<Barrier> warp;   // joins those threads of each warp
};
using Within = std::function<GuardBarriers(const Statement& guard)>;
// `known`: as of a MeetingJudge.
void add_barriers(Kernel& kernel, const Orders& orders = {}, const Within& within = {},
                  KnownMeetings* known = nullptr);

std::size_t barriers_in(const Body& body);

}  // namespace selvage
