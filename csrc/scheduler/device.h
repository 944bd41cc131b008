#pragma once

#include <selvage/kernel/launch_limits.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace selvage {

// What the cost model knows of a GPU. Sources of the numbers: data sheets for capacities and peak
// bandwidth, measured bandwidth over bytes in flight for `flight_knee` and `flight_power`.
struct Device {
  std::string name;
  std::int64_t multiprocessors = 0;
  double dram_bandwidth = 0;  // bytes a second, peak
  double l2_bandwidth = 0;    // bytes a second, reads that hit
  std::int64_t l2_bytes = 0;
  std::int64_t shared_bytes = 0;        // of a multiprocessor
  std::int64_t registers = kRegisters;  // of 4 bytes, of a multiprocessor
  std::int64_t threads = 2048;          // of a multiprocessor
  std::int64_t blocks = 32;             // of a multiprocessor
  double clock = 0;                     // cycles a second
  double latency = 0;                   // seconds from a load that misses L2 to its value
  double l2_latency = 270e-9;           // seconds from a load that hits L2 to its value
  double launch = 3.5e-6;               // seconds of a kernel that does nothing
  double block_start = 0.7e-9;          // seconds from the start of a block to that of the next one
  double dram_share = 0.90;             // of the peak, that a copy of large arrays reaches
  double read_share = 0.95;             // the same for reads alone, after which DRAM need not turn
  // The share of the peak bandwidth with x bytes in flight on each multiprocessor:
  //   g(x) = r / (1 + r^p)^(1/p)   with r = x / flight_knee and p = flight_power
  double flight_knee = 0;  // bytes
  double flight_power = 2;
  bool has_late_copies = true;  // cp.async: from compute capability 8.0 on
  bool has_clusters = true;     // of blocks: from compute capability 9.0 on
  // The known device that some of these numbers are scaled from; empty: none is.
  std::string scaled_from = {};
};

// a100, h100, h200, b200, rtx4090.
std::span<const Device> known_devices();
// The device of that name; null if there is none.
const Device* find_device(std::string_view name);
// The device that schedules are made for if nobody says otherwise: H100.
const Device& usual_device();

// Gives a device the fit of bandwidth over bytes in flight of another one: with each
// multiprocessor's share of the bandwidth grows what it needs in flight.
void scale_fit(Device& device, const Device& from);

}  // namespace selvage
