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

// The share of the peak that DRAM reaches, saturated: the more it turns between reads and writes
// the less.
double reached_share(const LaunchWork& work, const Device& device) {
  const double stored = work.dram_bytes > 0 ? work.stored_bytes / work.dram_bytes : 0;
  const double turning = 2 * std::min(stored, 1 - stored);
  return device.read_share + turning * (device.dram_share - device.read_share);
}

// g(y) of the bytes y that are in flight on average, of at most `most`, where blocks load nothing
// for `rest` seconds after each load. `rate`: bytes a second of the saturated bandwidth. All of a
// multiprocessor.
double bandwidth_share(const Device& device, double most, double rest, double rate) {
  const double p = device.flight_power, x = most / device.flight_knee;
  const double c = rest * rate / device.flight_knee;
  const auto power = [&](double r) { return p == 2 ? r * r : std::pow(r, p); };
  const auto root = [&](double r) { return p == 2 ? std::sqrt(r) : std::pow(r, 1 / p); };
  // r + c * g(r) = x by Newton's method, from below: g is concave. As g(r) <= r, x / (1 + c) is no
  // more than the solution, and is it where c = 0.
  const int steps = c == 0 ? 0 : 3;
  double r = x / (1 + c), g = 0;
  for (int k = 0; k <= steps; ++k) {
    const double under = 1 + power(r), divisor = root(under);
    g = r / divisor;
    r += (x - r - c * g) / (1 + c / (divisor * under));
  }
  return g;
}

// The time in which memory moves the bytes of a launch, whose blocks load nothing for `rest`
// seconds.
double memory_seconds(const LaunchWork& work, const Device& device, double waves, double rest) {
  const double multiprocessors = double(device.multiprocessors);
  const double reached = device.dram_bandwidth * reached_share(work, device) * work.coalesced;
  const double loaded = work.dram_bytes - work.stored_bytes;
  const bool loads = loaded > 0 && work.loads_in_turn > 0;
  const double beside = loads ? work.dram_bytes / loaded : 1;  // with the stores
  const double blocks = double(work.blocks) / std::max(waves, 1.0) / multiprocessors;
  // No more than there is to load.
  const double asked = std::min(blocks * double(work.threads) * work.bytes_in_flight,
                                (loads ? loaded : work.dram_bytes) / multiprocessors);
  const double in_flight = asked * beside;
  // Blocks that all run at once ask for their first bytes without any rest before.
  const double rests = waves > 1 ? work.loads_in_turn : std::max(work.loads_in_turn - 1, 0.0);
  const double between = loads ? rest * rests / (work.loads_in_turn * work.loads_in_turn) : 0;
  const auto share = [&](double part) {
    return bandwidth_share(device, part * in_flight, between, reached / multiprocessors);
  };
  const double seconds = work.dram_bytes / reached, full = std::floor(waves), last = waves - full;
  if (full == 0 || last == 0) return seconds / share(1);
  return seconds / waves * (full / share(1) + last / share(last));
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
  const double at_once = std::min(double(resident), std::ceil(blocks / multiprocessors));
  time.waves = blocks / (multiprocessors * double(resident));
  time.occupancy = at_once * double(work.threads) / double(device.threads);
  time.bytes_in_flight = at_once * double(work.threads) * work.bytes_in_flight;

  // The busiest multiprocessor has one block more than others where they cannot be shared out.
  const double average = blocks / multiprocessors;
  const double busiest = std::ceil(average) / average;
  const double cache = work.l2_bytes / device.l2_bandwidth * busiest;
  const double issue = work.instructions / kThreadsOfAWarp /
                       (kWarpsIssuedPerClock * multiprocessors * device.clock) * busiest;
  const double starts = blocks * device.block_start;

  const double of_a_thread = work.instructions / (blocks * work.threads_of_warps());
  const double cycles = work.barriers * kBarrierCycles + of_a_thread * kCyclesInTurn;
  constexpr double kTurnsOfCounting = 2;
  const double cached = work.cached_in_turn + (work.last_block ? kTurnsOfCounting : 0);
  const double rest = cached * device.l2_latency + cycles / device.clock;
  const double one_block = work.loads_in_turn * device.latency + rest;
  // Until the first loads have come nothing is computed; later ones wait while others arrive.
  const double first = std::min(one_block, device.latency + cycles / device.clock);
  const double latency = std::ceil(time.waves) * one_block - first;
  const double memory = memory_seconds(work, device, time.waves, rest);

  const double busy = std::max({memory, cache, issue, starts});
  time.seconds = device.launch + first + std::max(busy, latency);
  if (work.last_block) time.seconds += seconds_of(*work.last_block, device);
  time.peak_share = work.dram_bytes / device.dram_bandwidth / time.seconds;
  if (device.launch + first > std::max(busy, latency)) {
    time.limiter = device.launch > first ? Limiter::Launch : Limiter::Latency;
  } else if (latency > busy) {
    time.limiter = Limiter::Latency;
  } else if (starts == busy || (busiest > 1.25 && memory < busy) ||
             (average < 1 && memory == busy)) {
    time.limiter = Limiter::Blocks;
  } else if (issue > std::max(memory, cache)) {
    time.limiter = Limiter::Issue;
  } else {
    time.limiter = cache > memory ? Limiter::Cache : Limiter::Memory;
  }
  return time;
}

double seconds_of(const LastBlockWork& work, const Device& device) {
  const double cycles = work.barriers * kBarrierCycles + work.instructions * kCyclesInTurn;
  return work.loads_in_turn * device.l2_latency + cycles / device.clock;
}

double issue_slots(const Device& device) {
  return kThreadsOfAWarp * kWarpsIssuedPerClock * double(device.multiprocessors) * device.clock;
}

double instructions_of(Function f, Math math) {
  if (info(f).rule != ResultRule::Real) return 1;
  return math == Math::Fast ? 3 : 8;
}

double coalesced_share(double bytes) {
  struct Point {
    double bytes, share;
  };
  constexpr std::array kPoints{Point{4, 0.05},  Point{16, 0.19},  Point{32, 0.51},
                               Point{64, 0.92}, Point{128, 0.93}, Point{512, 1}};
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
