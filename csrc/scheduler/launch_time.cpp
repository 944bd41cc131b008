#include <selvage/scheduler/launch_time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace selvage {

namespace {

constexpr double kWarpsIssuedPerClock = 4;
constexpr double kThreadsOfAWarp = 32;
constexpr double kBarrierCycles = 60;
constexpr double kCyclesInTurn = 3;  // from an instruction of a thread to its next one

// The share of the peak bandwidth that is reached with x bytes in flight on each multiprocessor.
double bandwidth_share(const Device& device, double x) {
  const double r = x / device.flight_knee, p = device.flight_power;
  return r / std::pow(1 + std::pow(r, p), 1 / p);
}

}  // namespace

std::int64_t resident_blocks(const LaunchWork& work, const Device& device) {
  const std::int64_t warps = (work.threads + 31) / 32;
  // Registers are handed out to warps, 256 at a time.
  const std::int64_t registers = warps * ((work.registers * 32 + 255) / 256 * 256);
  return std::min({device.threads / (warps * 32), device.blocks, device.registers / registers,
                   device.shared_bytes / (work.shared_bytes + kReservedSharedBytes)});
}

LaunchTime time_of(const LaunchWork& work, const Device& device) {
  LaunchTime time;
  const std::int64_t resident = resident_blocks(work, device);
  if (resident == 0) {
    time.seconds = std::numeric_limits<double>::infinity();
    time.limiter = Limiter::Blocks;
    return time;
  }
  const double blocks = double(std::max<std::int64_t>(work.blocks, 1));
  const double multiprocessors = double(device.multiprocessors);
  const double used = std::min(1.0, blocks / multiprocessors);  // of the multiprocessors
  const double at_once = std::min(double(resident), std::ceil(blocks / multiprocessors));
  time.waves = blocks / (multiprocessors * double(resident));
  time.occupancy = at_once * double(work.threads) / double(device.threads);
  time.bytes_in_flight = at_once * double(work.threads) * work.bytes_in_flight;

  const double whole = std::ceil(time.waves);
  const double efficiency = time.waves < 1 ? 1 : time.waves / whole;
  const double share = bandwidth_share(device, time.bytes_in_flight) * used * work.coalesced;
  const double memory = work.dram_bytes / (device.dram_bandwidth * device.dram_share * share);
  const double cache = work.l2_bytes / (device.l2_bandwidth * used);
  const double issue = work.instructions / kThreadsOfAWarp /
                       (kWarpsIssuedPerClock * multiprocessors * used * device.clock);
  const double of_a_thread = work.instructions / (blocks * double(work.threads));
  const double cycles = work.barriers * kBarrierCycles + of_a_thread * kCyclesInTurn;
  const double one_block = work.loads_in_turn * device.latency + cycles / device.clock;
  // Until the first loads have come nothing is computed; later ones wait while others arrive.
  const double first = std::min(one_block, device.latency + cycles / device.clock);
  const double latency = whole * one_block - first;

  const double busy = std::max({memory, cache, issue}) / efficiency;
  time.seconds = device.launch + first + std::max(busy, latency);
  time.peak_share = work.dram_bytes / device.dram_bandwidth / time.seconds;
  if (device.launch + first > std::max(busy, latency)) {
    time.limiter = device.launch > first ? Limiter::Launch : Limiter::Latency;
  } else if (latency > busy) {
    time.limiter = Limiter::Latency;
  } else if (used < 1 || efficiency < 0.8) {
    time.limiter = Limiter::Blocks;
  } else if (issue > std::max(memory, cache)) {
    time.limiter = Limiter::Issue;
  } else {
    time.limiter = cache > memory ? Limiter::Cache : Limiter::Memory;
  }
  return time;
}

double issue_slots(const Device& device) {
  return kThreadsOfAWarp * kWarpsIssuedPerClock * double(device.multiprocessors) * device.clock;
}

double instructions_of(Function f) { return info(f).rule == ResultRule::Real ? 8 : 1; }

double coalesced_share(double bytes) {
  struct Point {
    double bytes, share;
  };
  constexpr std::array kPoints{Point{4, 0.05},  Point{16, 0.19},  Point{32, 0.51},
                               Point{64, 0.75}, Point{128, 0.93}, Point{512, 1}};
  if (bytes <= kPoints.front().bytes) return kPoints.front().share;
  for (std::size_t k = 1; k < kPoints.size(); ++k) {
    const Point& from = kPoints[k - 1];
    const Point& to = kPoints[k];
    if (bytes > to.bytes) continue;
    const double way = std::log(bytes / from.bytes) / std::log(to.bytes / from.bytes);
    return from.share + way * (to.share - from.share);
  }
  return 1;
}

}  // namespace selvage
