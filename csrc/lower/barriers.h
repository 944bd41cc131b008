#pragma once

#include <selvage/kernel/verify_meeting.h>

#include <functional>
#include <optional>

namespace selvage {

// Puts barriers where threads of a block meet in memory: between two accesses of one buffer, one of
// them a write, that no barrier lies between yet, on the way from the one to the other or around a
// loop. As few as will do: as late as possible, and outside a loop rather than inside.
//
// What is guarded has no barrier, for part of the threads would not reach it, unless `within` says
// which ones join just those that pass the guard.
//
// Barriers of the block and of warps that are there already count; those of a part of either do
// not, but where they are such ones of the guard around, nor what stands behind a Leave in the loop
// that it leaves.
//
// `orders`: whether a barrier may be put for the sake of two accesses, by their numbers in the map,
// the earlier one first; `loop`: they are in different iterations of it. Empty: for all.
using Orders = std::function<bool(const AccessMap& map, std::size_t first, std::size_t second,
                                  std::optional<PlaceId> loop)>;
// Of those who pass a guard. Where all threads of the block, or of each warp, pass it or none do,
// these are Barrier{} and a Warp of all lanes: barriers inside then order what is outside as well.
struct GuardBarriers {
  std::optional<Barrier> block;  // joins all of a block
  std::optional<Barrier> warp;   // joins those of each warp
};
using Within = std::function<GuardBarriers(const Statement& guard)>;
// `known`: as of a MeetingJudge.
void add_barriers(Kernel& kernel, const Orders& orders = {}, const Within& within = {},
                  KnownMeetings* known = nullptr);

std::size_t barriers_in(const Body& body);

}  // namespace selvage
