#pragma once

#include <selvage/ir/scalar.h>
#include <selvage/scheduler/device.h>

#include <cmath>
#include <cstdint>

namespace selvage {

// What one launch does, as far as its time depends on it.
struct LaunchWork {
  std::int64_t blocks = 1;
  std::int64_t threads = 1;       // of a block
  std::int64_t registers = 32;    // of a thread
  std::int64_t shared_bytes = 0;  // of a block
  double dram_bytes = 0;          // moved between DRAM and L2
  double l2_bytes = 0;            // moved between L2 and the multiprocessors
  double bytes_in_flight = 0;     // that a thread asks for before it needs any of them
  double loads_in_turn = 1;       // of a thread, each after the one before has arrived
  double coalesced = 1;           // the share of the bandwidth that such requests can reach
  double barriers = 0;            // of a block
  double instructions = 0;        // of all threads
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
//   launch + first + max(busy / wave efficiency, ceil(waves) * block - first)
//   busy = max(DRAM bytes / (bandwidth * g(bytes in flight)), L2 bytes / L2 bandwidth,
//              instructions / issue rate)
//   block: the time in which a block waits for its loads and barriers, one after the other
//   first: the same with one load
// Wave efficiency is waves / ceil(waves). Infinite where no block fits on a multiprocessor.
LaunchTime time_of(const LaunchWork& work, const Device& device);

// Instructions that all threads of the device can be given in a second.
double issue_slots(const Device& device);
// The share of the bandwidth that is reached where each request of a warp is made of pieces of so
// many bytes that lie side by side (measured on H100: 512, 4 x 128, 16 x 32 and 32 x 16 bytes).
double coalesced_share(double bytes);
// The instructions of a function, by the time that they take: 1 for an addition.
double instructions_of(Function f);
// Beside what it computes: of an access with its address and its guard.
inline constexpr double kInstructionsOfAccess = 6;
// Shared memory of each block that the driver takes.
inline constexpr std::int64_t kReservedSharedBytes = 1 << 10;
// Registers of a thread, beside what it keeps.
inline constexpr double kRegistersOfCode = 26;
// The share of L2 that what is in progress may take and still be found there again.
inline constexpr double kShareOfL2 = 0.5;

}  // namespace selvage
