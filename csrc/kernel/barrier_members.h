#pragma once

#include <selvage/kernel/kernel.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace selvage {

// Of threads that stand at a barrier, by their number in the block: one that waits there for one
// that is missing; or one that takes no part in it, alone.
struct WrongMeeting {
  std::uint32_t thread = 0;
  std::optional<std::uint32_t> missing = {};
};
// Whether those who are there are those who must be; the first that is not as it should be.
std::optional<WrongMeeting> wrong_meeting(const Barrier& barrier,
                                          std::span<const std::uint32_t> there,
                                          std::int64_t threads_of_the_block);

// How many threads of the block take part; of Warp: if each warp does.
std::int64_t count_of(const Barrier& barrier, std::int64_t threads_of_the_block);

// Do the same threads take part in both? Of Threads.
bool same_members(const Barrier& a, const Barrier& b);

// "a barrier", "a barrier of a warp", "a barrier of lanes 0x0000000f of a warp", "barrier 1"
std::string name_of(const Barrier& barrier);

}  // namespace selvage
