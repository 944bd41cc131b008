#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace selvage {

// How a loop is run. The field's names. Of a Multicast loop, each block of a cluster begins the
// copies of one iteration, for all of them: block k those of iteration k.
enum class ParallelType : std::uint8_t {
  Serial,
  BIDx,
  BIDy,
  BIDz,
  TIDx,
  TIDy,
  TIDz,
  DIDx,
  Vectorize,
  Unroll,
  Unswitch,
  Bulk,
  Group,
  CIDx,
  Multicast,
};

std::string_view to_string(ParallelType type);
std::optional<ParallelType> parse_parallel_type(std::string_view name);

constexpr bool is_block(ParallelType t) {
  return t == ParallelType::BIDx || t == ParallelType::BIDy || t == ParallelType::BIDz;
}
constexpr bool is_thread(ParallelType t) {
  return t == ParallelType::TIDx || t == ParallelType::TIDy || t == ParallelType::TIDz;
}
// The number of a block within its cluster. A block has memory of its own, but those of a cluster
// wait for one another and access each other's shared memory: so they can fold together.
constexpr bool is_rank(ParallelType t) { return t == ParallelType::CIDx; }
// What numbers blocks, each with memory of its own: in the grid, or in a cluster.
constexpr bool is_of_blocks(ParallelType t) { return is_block(t) || is_rank(t); }
// The index of a block or of a thread: the loop is not iterated over.
constexpr bool is_index(ParallelType t) { return is_of_blocks(t) || is_thread(t); }
// A tensor binds at most one loop to each of these types.
constexpr bool is_bound_once(ParallelType t) {
  return is_index(t) || t == ParallelType::Vectorize || t == ParallelType::Multicast;
}
// x, y, z as 0, 1, 2. The threads of a cluster are numbered as those of one block, whose z is the
// rank (Launch::is_cluster).
constexpr int axis(ParallelType t) {
  if (is_rank(t)) return 2;
  return is_block(t) ? int(t) - int(ParallelType::BIDx) : int(t) - int(ParallelType::TIDx);
}

// The index of a kernel that stands for that of a loop.
constexpr ParallelType in_kernel(ParallelType t) { return is_rank(t) ? ParallelType::TIDz : t; }

// How the elements of a cache come into shared memory.
enum class CopyBy : std::uint8_t {
  LoadStore,  // a thread loads them into registers and stores them
  CpAsync,    // a thread begins copies that end later, at a wait for the group that it puts them in
  Bulk,       // the same of any multiple of 16 bytes side by side, at a wait for a barrier object
  Tma,        // the same of a box of the tensor, found by a tensor map
};
std::string_view to_string(CopyBy by);  // "ldst", "cp_async", "bulk", "tma"
// Whether a unit of its own makes the copies (the async proxy). Those to shared memory belong to
// barrier objects, those from there to groups of the thread.
constexpr bool is_by_proxy(CopyBy by) { return by == CopyBy::Bulk || by == CopyBy::Tma; }
// Of bulk copies: what their bytes and both addresses are multiples of, and the most bytes of one.
inline constexpr std::int64_t kBulkAlignment = 16, kMostBulkBytes = 1 << 19;
constexpr bool is_copied_in_bulk(std::int64_t bytes) {
  return bytes > 0 && bytes % kBulkAlignment == 0 && bytes <= kMostBulkBytes;
}

// Warps of a block that only copy, beside those of all other threads.
struct CopyRole {
  std::string name = "load";
  std::int64_t warps = 1;
  // So many for each thread that copies, whose others go to those that compute (setmaxnreg): for
  // this both are whole warpgroups. 0: as many as all have.
  std::int64_t registers = 0;
};

// Threads of a warp, which run together (counted x fastest, then y, z), and of a warpgroup, four
// warps.
inline constexpr std::int64_t kWarp = 32, kWarpgroup = 128;

}  // namespace selvage
