#pragma once

#include <selvage/ir/fast_math.h>
#include <selvage/ir/scalar.h>
#include <selvage/scheduler/device.h>

#include <cmath>
#include <cstdint>
#include <optional>

namespace selvage {

// What the last block of a launch does when all others have ended, for a thread of it.
struct LastBlockWork {
  double loads_in_turn = 0;  // that L2 serves, each after the one before has arrived
  double barriers = 0;
  double instructions = 0;
};

// What one launch does, as far as its time depends on it.
struct LaunchWork {
  std::int64_t blocks = 1;
  std::int64_t threads = 1;       // of a block
  std::int64_t registers = 32;    // of a thread
  std::int64_t shared_bytes = 0;  // of a block
  double dram_bytes = 0;          // moved between DRAM and L2
  double stored_bytes = 0;        // of these, to DRAM
  double l2_bytes = 0;            // moved between L2 and the multiprocessors
  double bytes_in_flight = 0;     // that a thread asks of DRAM before it needs any of them
  double loads_in_turn = 1;       // of a thread from DRAM, each after the one before has arrived
  double cached_in_turn = 0;      // the same for loads that L2 serves
  double coalesced = 1;           // the share of the bandwidth that such requests can reach
  double barriers = 0;            // of a block
  double instructions = 0;        // of all threads of all warps, whole ones

  // Threads of a block, in whole warps.
  double threads_of_warps() const { return std::ceil(double(threads) / 32) * 32; }
  std::optional<LastBlockWork> last_block = {};
};

// What takes the time of a launch.
enum class Limiter : std::uint8_t { Memory, Cache, Latency, Issue, Blocks, Launch };

struct LaunchTime {
  double seconds = 0;
  double peak_share = 0;       // of the DRAM bandwidth, over the whole launch
  double occupancy = 0;        // of a multiprocessor's threads
  double waves = 0;            // blocks to those that run at once
  double bytes_in_flight = 0;  // on each multiprocessor
  Limiter limiter = Limiter::Memory;
};

// The least whole number that is no less than a / b.
inline double quotient_up(double a, double b) { return std::ceil(a / b); }

// How many blocks run at once on a multiprocessor; 0 if none fits.
std::int64_t resident_blocks(const LaunchWork& work, const Device& device);

// The time that a launch takes on a device:
//   launch + first + max(busy, ceil(waves) * block - first)
//   busy = max(DRAM bytes / (bandwidth * g(y)), L2 bytes / L2 bandwidth,
//              instructions / issue rate, blocks * block start)
//   block: the time in which a block waits for its loads and barriers, one after the other
//   first: the same with one load
// The bytes in flight, y, are those of the resident blocks, averaged over all multiprocessors,
// without what blocks would have in flight that compute, meet at a barrier, or wait for L2:
//   y + rest * bandwidth * g(y) / multiprocessors = bytes in flight of resident blocks
//   rest: the time of a block in which it loads nothing, for each load in turn; blocks that all run
//         at once have none before their first loads
// Stores are in flight beside the loads, as many as the kernel has of them. A last wave that is not
// full has its part of them; a multiprocessor that has one block more than others issues its
// instructions and moves its bytes alone. Infinite where no block fits on a multiprocessor.
// Where a last block has work of its own, each block counts itself, which takes a store and an
// atomic operation of L2 in turn; and the last one goes on alone.
LaunchTime time_of(const LaunchWork& work, const Device& device);
double seconds_of(const LastBlockWork& work, const Device& device);

// Instructions that all threads of the device can be given in a second.
double issue_slots(const Device& device);
// The share of the bandwidth that is reached where each request of a warp is made of pieces of so
// many bytes that lie side by side (measured on H100: 512, 4 x 128, 16 x 32 and 32 x 16 bytes).
double coalesced_share(double bytes);
// The instructions of a function, by the time that they take: 1 for an addition.
double instructions_of(Function f, Math math = Math::Exact);
// Beside what it computes: of an access with its address and its guard.
inline constexpr double kInstructionsOfAccess = 6;
// Shared memory of each block that the driver takes.
inline constexpr std::int64_t kReservedSharedBytes = 1 << 10;
// Registers of a thread, beside what it keeps.
inline constexpr double kRegistersOfCode = 26;
// The share of L2 that a tensor may take and still be found there again, and the share that what is
// read and stored between the first and the last reading of a row by the running blocks may take:
// RMS norm by Triton on an H100 finds rows again at 9 MB (2303 GB/s, N = 4096) and does not at 17
// (1947, where 2013 is the most that reading memory twice allows).
inline constexpr double kShareOfL2 = 0.5, kShareOfL2InProgress = 0.25;

}  // namespace selvage
