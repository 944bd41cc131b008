#include "tests/support/loops_order.h"

#include <selvage/scheduler/row_schedules.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace selvage::test {

bool LoopsTime::has_order() const { return std::max(path, thread) >= 1.1 * std::min(path, thread); }

std::vector<LoopsTime> loops_times() {
  std::ifstream file(SELVAGE_SOURCE_DIR "/benchmarks/loops_times.csv");
  std::vector<LoopsTime> times;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::ranges::replace(line, ',', ' ');
    LoopsTime time;
    std::istringstream(line) >> time.matrix >> time.rows >> time.items >> time.path >> time.thread;
    times.push_back(std::move(time));
  }
  return times;
}

Device v100() {
  Device device{.name = "v100",
                .multiprocessors = 80,
                .dram_bandwidth = 0.9e12,
                .l2_bytes = 6 << 20,
                .shared_bytes = 96 << 10,
                .clock = 1.38e9};
  scale_fit(device, *find_device("a100"));
  return device;
}

bool expects_thread(const LoopsTime& time, const Device& device) {
  const bool is_short = time.items <= kLongestOfThread * time.rows;
  const bool is_near = time.items <= mean_in_l1(device) * time.rows;
  return is_short && (is_near || time.items <= items_in_l2(device));
}

LoopsOrder loops_order() {
  const Device device = v100();
  LoopsOrder order;
  for (const LoopsTime& time : loops_times()) {
    if (!time.has_order()) continue;
    const bool expected = expects_thread(time, device);
    const bool is_right = expected == time.is_thread_faster();
    Hits& part = time.items <= items_in_l2(device) ? order.in_l2 : order.past_l2;
    for (Hits* hits : {&order.all, &part}) {
      ++hits->all;
      hits->right += is_right ? 1 : 0;
    }
    if (!is_right) (expected ? order.slower_threads : order.faster_threads).push_back(time);
  }
  return order;
}

}  // namespace selvage::test
