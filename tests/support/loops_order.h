#pragma once

#include <selvage/scheduler/device.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/published_cost.h"

namespace selvage::test {

// A sparse matrix times a vector, as Loops has published its times (benchmarks/loops_times.csv).
// How long the longest row is was not published.
struct LoopsTime {
  std::string matrix;
  std::int64_t rows = 0, items = 0;
  double path = 0, thread = 0;  // microseconds, along a merge path and by a thread for each row

  // Times that differ by less than a tenth have no order.
  bool has_order() const;
  bool is_thread_faster() const { return thread < path; }
};
std::vector<LoopsTime> loops_times();
// On which they were measured, by its data sheet.
Device v100();

// Whether a thread for each row is expected to be the faster of the two: no row is longer than
// kLongestOfThread, as far as the mean tells, and a thread finds the lines that it has begun to
// read in L1 or L2 (scheduler/row_schedules.h).
bool expects_thread(const LoopsTime& time, const Device& device);

// In how many of those that have an order it is the expected one.
struct LoopsOrder {
  Hits all, in_l2, past_l2;
  std::vector<LoopsTime> slower_threads, faster_threads;  // than a merge path, which is unexpected
};
LoopsOrder loops_order();

}  // namespace selvage::test
