#pragma once

#include <selvage/ir/parallel.h>

#include <array>
#include <cstdint>
#include <vector>

namespace selvage {

inline constexpr std::int64_t kSectorBytes = 32;      // what L2 reads or writes at once
inline constexpr std::int64_t kHalfLineBytes = 64;    // what DRAM does
inline constexpr std::int64_t kWavefrontBytes = 128;  // what shared memory does, all of its banks

// What one access of a warp asks of memory at one time: `bytes` bytes from `address[lane]` on for
// each lane that is active.
struct WarpRequest {
  std::array<std::int64_t, kWarp> address{};  // in bytes
  std::uint32_t active = 0;                   // bit k is lane k
  std::int64_t bytes = 4;

  bool has(int lane) const { return (active >> lane & 1) != 0; }
  void add(int lane, std::int64_t at) {
    active |= std::uint32_t(1) << lane;
    address[std::size_t(lane)] = at;
  }
};

// The bytes that a request accesses, as runs of neighbouring bytes, in order.
struct ByteRun {
  std::int64_t begin = 0, end = 0;
};
std::vector<ByteRun> byte_runs(const WarpRequest& request);

// The distinct sectors of global memory that these runs touch.
std::int64_t sectors_of(const std::vector<ByteRun>& runs);

// The times that shared memory works for a request: in each phase (legality/bank_phase.h) as often
// as the busiest bank is asked for another word. `conflicts`: those past the first of each phase.
// A bulk copy asks for whole lines, one after the other.
struct Wavefronts {
  std::int64_t all = 0, conflicts = 0;
};
Wavefronts wavefronts_of(const WarpRequest& request);

}  // namespace selvage
