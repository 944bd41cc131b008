#include <selvage/report/cost_lines.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "benchmarks/prediction.h"
#include "tests/support/model_shapes.h"

namespace selvage::benchmarks {

namespace {

// The least time that the model predicts for a kernel that reads and stores so many bytes and does
// nothing else: a thread has one to eight loads of 16 bytes under way.
double copy_seconds(const test::FloorBytes& bytes, const Device& device) {
  constexpr std::int64_t kThreads = 256, kWidth = 16;
  double least = INFINITY;
  for (std::int64_t loads = 1; loads <= 8; loads *= 2) {
    LaunchWork copy{.threads = kThreads};
    copy.blocks = std::int64_t(bytes.read / double(kThreads * kWidth * loads)) + 1;
    copy.dram_bytes = copy.l2_bytes = bytes.read + bytes.stored;
    copy.stored_bytes = bytes.stored;
    copy.bytes_in_flight = double(kWidth * loads);
    least = std::min(least, time_of(copy, device).seconds);
  }
  return least;
}

}  // namespace

Prediction predict(const Fusion& fusion, const AutomaticSchedule& schedule, const Device& device) {
  const test::FloorBytes floor = test::floor_bytes(fusion);
  Prediction p{.bytes = floor.read + floor.stored, .copy = copy_seconds(floor, device)};
  p.kernels = int(schedule.kernels.size());
  double moved = 0;
  const AutomaticKernel* slowest = nullptr;
  for (const AutomaticKernel& k : schedule.kernels) {
    const LaunchTime& time = k.taken.time;
    p.seconds += time.seconds;
    moved += time.peak_share * device.dram_bandwidth * time.seconds;
    if (slowest == nullptr || time.seconds > slowest->taken.time.seconds) slowest = &k;
  }
  p.over_floor = moved / p.bytes;
  if (p.kernels > 1) p.reason += std::to_string(p.kernels) + " kernels; ";
  if (p.over_floor > 1.05) {
    char text[64];
    std::snprintf(text, sizeof text, "moves %.2f of the floor; ", p.over_floor);
    p.reason += text;
  }
  if (slowest == nullptr) return p;
  const LaunchTime& time = slowest->taken.time;
  char text[96];
  std::snprintf(text, sizeof text,
                ", %.1f KiB in flight, %.2f waves: ", time.bytes_in_flight / 1024, time.waves);
  p.reason += std::string(limit_text(time.limiter)) + text + slowest->taken.plan.text();
  return p;
}

Prediction predict(const Fusion& fusion, const Device& device) {
  return predict(fusion, filled_in(Schedule(fusion), {}, device), device);
}

}  // namespace selvage::benchmarks
