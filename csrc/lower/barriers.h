#pragma once

#include <selvage/kernel/verify_access.h>

#include <functional>
#include <optional>

namespace selvage {

// Puts barriers where threads of a block meet in memory: between two accesses of one buffer, one of
// them a write, that no barrier lies between yet, on the way from the one to the other or around a
// loop. As few as will do: as late as possible, and outside a loop rather than inside.
//
// What is guarded has no barrier, for part of the threads would not reach it, unless `within` says
// which one joins just those that pass the guard.
//
// Barriers of the block and of warps that are there already count; those of a part of either do
// not, but where they stand in a guard that has one, nor what stands behind a Leave in the loop
// that it leaves.
//
// `orders`: whether a barrier may be put for the sake of two accesses, by their numbers in the map,
// the earlier one first; `loop`: they are in different iterations of it. Empty: for all.
using Orders = std::function<bool(const AccessMap& map, std::size_t first, std::size_t second,
                                  std::optional<PlaceId> loop)>;
using Within = std::function<std::optional<Barrier>(const Statement& guard)>;
void add_barriers(Kernel& kernel, const Orders& orders = {}, const Within& within = {});

std::size_t barriers_in(const Body& body);

}  // namespace selvage
