#pragma once

#include <selvage/kernel/verify_access.h>

#include <functional>
#include <optional>

namespace selvage {

// Puts barriers where threads of a block meet in memory: between two accesses of one buffer, one of
// them a write, that no barrier lies between yet, on the way from the one to the other or around a
// loop. As few as will do: as late as possible, and outside a loop rather than inside. Guards are
// left as they are: what they guard has no barrier, for part of the threads would not reach it.
//
// Barriers of the block and of warps that are there already count; those of a part of either do
// not, nor what stands behind a Leave in the loop that it leaves.
//
// `orders`: whether a barrier may be put for the sake of two accesses, by their numbers in the map,
// the earlier one first; `loop`: they are in different iterations of it. Empty: for all.
using Orders = std::function<bool(const AccessMap& map, std::size_t first, std::size_t second,
                                  std::optional<PlaceId> loop)>;
void add_barriers(Kernel& kernel, const Orders& orders = {});

std::size_t barriers_in(const Body& body);

}  // namespace selvage
