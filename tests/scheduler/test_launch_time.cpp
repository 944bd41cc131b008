// The time of a launch: what it follows, and what it is where memory takes it.
#include <selvage/scheduler/launch_time.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/oracle/draws.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

// More bytes take longer, and more of them in flight take less time.
TEST(LaunchTimes, FollowBytesAndBytesInFlight) {
  const Device& device = *find_device("h100");
  LaunchWork work{.blocks = 132 * 16, .threads = 128, .dram_bytes = 1e8, .bytes_in_flight = 16};
  const LaunchTime usual = time_of(work, device);
  work.dram_bytes = 2e8;
  EXPECT_GT(time_of(work, device).seconds, 1.5 * usual.seconds);
  work.bytes_in_flight = 32;
  EXPECT_LT(time_of(work, device).seconds, 2 * usual.seconds);
  work.blocks = 33;
  EXPECT_EQ(time_of(work, device).limiter, Limiter::Blocks);
  work.shared_bytes = 1 << 20;
  EXPECT_TRUE(std::isinf(time_of(work, device).seconds));
}

TEST(LaunchTimes, AreShorterForReadsAloneThanForACopy) {
  const Device& device = *find_device("h100");
  LaunchWork work{.blocks = 132 * 1600, .threads = 256, .dram_bytes = 1e10, .bytes_in_flight = 256};
  const double reads = time_of(work, device).seconds;
  work.stored_bytes = work.dram_bytes / 2;
  const double copy = time_of(work, device).seconds;
  EXPECT_NEAR(copy / reads, device.read_share / device.dram_share, 0.01);
}

// One block more than fill the device take a little longer, and not as long as twice as many.
TEST(LaunchTimes, OfABlockMoreAreALittleLonger) {
  const Device& device = *find_device("h100");
  const auto seconds = [&](std::int64_t blocks) {
    return time_of({.blocks = blocks,
                    .threads = 256,
                    .dram_bytes = 32768.0 * double(blocks),
                    .bytes_in_flight = 128},
                   device)
        .seconds;
  };
  const std::int64_t full = 132 * 8 * 4;
  EXPECT_GT(seconds(full + 1), seconds(full));
  EXPECT_LT(seconds(full + 1), 1.05 * seconds(full));
}

TEST(LaunchTimes, OfManyBlocksThatDoLittleAreTheirStarts) {
  const Device& device = *find_device("h100");
  const LaunchTime time =
      time_of({.blocks = 1 << 20, .threads = 32, .dram_bytes = 1e6, .bytes_in_flight = 4}, device);
  EXPECT_EQ(time.limiter, Limiter::Blocks);
  EXPECT_GE(time.seconds, double(1 << 20) * device.block_start);
}

// What is in flight on average, by halving: y + rest * rate * g(y) = most.
double share_by_halving(const Device& device, double most, double rest, double rate) {
  const auto share = [&](double y) {
    const double r = y / device.flight_knee, p = device.flight_power;
    return r / std::pow(1 + std::pow(r, p), 1 / p);
  };
  double low = 0, high = most;
  for (int k = 0; k < 100; ++k) {
    const double y = (low + high) / 2;
    (y + rest * rate * share(y) < most ? low : high) = y;
  }
  return share(low);
}

// Of full waves whose loads are the only thing that they wait for.
TEST(LaunchTimes, OfMemoryAreWhatTheEquationSays) {
  std::mt19937_64 rng(7);
  const int rounds = count(2'000, 50'000);
  int checked = 0;
  for (int k = 0; k < rounds; ++k) {
    const Device& device = known_devices()[std::size_t(oracle::draw(rng, 0, 4))];
    const auto multiprocessors = double(device.multiprocessors);
    LaunchWork work{.threads = 32 * oracle::draw(rng, 1, 32), .registers = 32};
    const std::int64_t resident = resident_blocks(work, device);
    ASSERT_GT(resident, 0);
    work.blocks = resident * device.multiprocessors * oracle::draw(rng, 1, 50);
    work.bytes_in_flight = double(oracle::draw(rng, 1, 256));
    work.loads_in_turn = double(oracle::draw(rng, 1, 4));
    work.cached_in_turn = double(oracle::draw(rng, 0, 3));
    const double stored = double(oracle::draw(rng, 0, 9)) / 10;
    const double loaded = double(work.blocks * work.threads) * work.bytes_in_flight *
                          double(oracle::draw(rng, 1, 40));
    work.dram_bytes = loaded / (1 - stored);
    work.stored_bytes = work.dram_bytes - loaded;
    const double turning = 2 * std::min(stored, 1 - stored);
    const double rate = device.dram_bandwidth *
                        (device.read_share - turning * (device.read_share - device.dram_share));
    const bool are_at_once = work.blocks == resident * device.multiprocessors;
    const double rests = work.loads_in_turn - (are_at_once ? 1 : 0);
    const double rest =
        work.cached_in_turn * device.l2_latency * rests / (work.loads_in_turn * work.loads_in_turn);
    const double most = double(resident * work.threads) * work.bytes_in_flight / (1 - stored);
    const double share = share_by_halving(device, most, rest, rate / multiprocessors);
    const double memory = work.dram_bytes / (rate * share);
    const LaunchTime time = time_of(work, device);
    if (time.limiter != Limiter::Memory) continue;
    ++checked;
    EXPECT_NEAR(time.seconds / (device.launch + device.latency + memory), 1, 0.002)
        << device.name << " " << most << " " << rest;
  }
  EXPECT_GT(checked, more_than(rounds / 2));
}

}  // namespace
}  // namespace selvage
