#pragma once

#include <selvage/kernel/kernel.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace selvage {

// A fault of threads at a barrier, by their numbers in the block: `thread` waits there for
// `missing`, which does not come; or, without `missing`, `thread` is no member of the barrier.
struct WrongMeeting {
  std::uint32_t thread = 0;
  std::optional<std::uint32_t> missing = {};
};
// Compares the threads at a barrier with its members: the first fault; nullopt if there is none.
// `part`: the threads of each of the parts of the block whose barrier it is, if it is one of warps
// or of ranks; for others it is not looked at.
std::optional<WrongMeeting> wrong_meeting(const Barrier& barrier,
                                          std::span<const std::uint32_t> there,
                                          std::int64_t threads_of_the_block,
                                          std::int64_t part = kWarp);

// The threads of each part of a block that waits by itself at the barrier; nullopt: the block, or
// the barrier's members, wait as one.
std::optional<std::int64_t> part_of(const Barrier& barrier, const Launch& launch);

// Calls f for the threads of each part of a block, of so many, in order: those of `threads`, which
// are in order.
template <class F>
void for_each_part(std::span<const std::uint32_t> threads, std::int64_t part, const F& f) {
  for (std::size_t from = 0, end = 0; from < threads.size(); from = end) {
    while (end < threads.size() && threads[end] / part == threads[from] / part) ++end;
    f(threads.subspan(from, end - from));
  }
}

// The number of the block's threads that are members; for Warp, those of all warps.
std::int64_t count_of(const Barrier& barrier, std::int64_t threads_of_the_block);

// Runs of threads with neighbouring numbers, below `end`, that are members: first, and last + 1.
std::vector<std::pair<std::int64_t, std::int64_t>> runs_of(const Barrier& barrier,
                                                           std::int64_t end);

// The smallest barrier that all threads of some part of a block meet at: of warps, or of ranks.
Barrier part_barrier(const Launch& launch);

// The barrier of all threads that have a block's memory: of a rank, in a cluster.
Barrier block_barrier(const Launch& launch);

// The members of a region within one of `n` equal parts of a block's threads, whole warps, where
// those of each part are the same; else nothing.
std::optional<std::vector<std::uint32_t>> members_of_each(const Region& region,
                                                          std::int64_t part_threads,
                                                          std::int64_t n);
// Whether a region has the same threads in each rank of a cluster.
bool is_alike_in_ranks(const Region& region, const Launch& launch);
// Whether some thread is a member of both regions.
bool share_a_thread(const Region& a, const Region& b);

// Whether two barriers of Scope::Threads have the same members.
bool same_members(const Barrier& a, const Barrier& b);

// "a barrier", "a barrier of a warp", "a barrier of lanes 0x0000000f of a warp", "barrier 1"
std::string name_of(const Barrier& barrier);

}  // namespace selvage
