#include "tests/support/loops_order.h"

#include <selvage/ir/gather.h>
#include <selvage/ir/ragged.h>
#include <selvage/lower/cost.h>
#include <selvage/scheduler/row_schedules.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
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
                .l2_bandwidth = 2.155e12,
                .l2_bytes = 6 << 20,
                .shared_bytes = 96 << 10,
                .clock = 1.38e9,
                .latency = 400e-9,
                .l2_latency = 140e-9};
  scale_fit(device, *find_device("a100"));
  return device;
}

bool expects_thread(const LoopsTime& time, const Device& device) {
  const bool is_short = time.items <= kLongestOfThread * time.rows;
  const bool is_near = time.items <= mean_in_l1(device) * time.rows;
  return is_short && (is_near || time.items <= items_in_l2(device));
}

namespace {

LoopsOrder judged(const std::function<bool(const LoopsTime&)>& expects_thread) {
  const Device device = v100();
  LoopsOrder order;
  for (const LoopsTime& time : loops_times()) {
    if (!time.has_order()) continue;
    const bool expected = expects_thread(time);
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

// The expected number of items in the longest of 32 rows, each Poisson-distributed: the sum over n
// of 1 - P(all have n items at most).
double longest_of_warp(double mean) {
  double expected = 0, share = std::exp(-mean), all = share;
  if (share == 0) return mean + 2 * std::sqrt(mean);  // of a normal distribution
  for (int n = 0; n < mean + 20 * std::sqrt(mean) + 40; ++n) {
    expected += 1 - std::pow(std::min(all, 1.0), 32);
    share *= mean / (n + 1);
    all += share;
  }
  return expected;
}

}  // namespace

LoopsOrder loops_order() {
  const Device device = v100();
  return judged([&](const LoopsTime& time) { return expects_thread(time, device); });
}

PredictedTimes::PredictedTimes(RowLengths lengths)
    : lengths_(lengths), device_(v100()), warm_(device_) {
  Fusion& f = fusion_;
  const Expr rows = f.extent("I", 0), i = f.fresh_index("i"), j = f.fresh_index("j");
  const RowsId ragged = add_rows(f.input("off", {rows + 1}, DataType::Int32));
  const Tensor columns = ragged_input(f, "columns", ragged, {}, DataType::Int32);
  const Tensor a = ragged_input(f, "a", ragged, {}, DataType::Float);
  const Tensor x = f.input("x", {f.extent("J")}, DataType::Float);
  const Element column = cast(item(columns, ragged, {i, j}), DataType::Int64);
  const Tensor y =
      f.output("y", f.compute_fold("", {i}, {rows}, {.indices = {j}, .shape = {length(f, ragged)}},
                                   item(a, ragged, {i, j}) * gather(x, {clamped(column)})));
  const auto by = [&](const RowSchedule& how) {
    Schedule schedule(f);
    schedule_rows(schedule, y.id(), how);
    return lower(f, schedule);
  };
  thread_ = by({RowSchedule::Kind::ThreadARow, 1});
  path_ = by({RowSchedule::Kind::MergePath, 8});
  warm_.dram_bandwidth = warm_.l2_bandwidth;
  warm_.latency = warm_.l2_latency;
  warm_.dram_share = warm_.read_share = 1;
}

LoopsTime PredictedTimes::of(const LoopsTime& time) const {
  const std::map<std::string, std::int64_t> sizes = {
      {"I", time.rows}, {"J", time.rows}, {"off_items", time.items}};
  const Device& device = time.items <= items_in_l2(device_) ? warm_ : device_;
  LoopsTime predicted = time;
  const double thread = cost_of(thread_, sizes, device).value().seconds, launch = device.launch;
  const double mean = double(time.items) / double(time.rows);
  const double waits = lengths_ == RowLengths::Even ? 1 : longest_of_warp(mean) / mean;
  predicted.thread = (launch + (thread - launch) * waits) * 1e6;
  predicted.path = cost_of(path_, sizes, device).value().seconds * 1e6;
  return predicted;
}

LoopsOrder PredictedTimes::order() const {
  return judged([&](const LoopsTime& time) { return of(time).is_thread_faster(); });
}

}  // namespace selvage::test
