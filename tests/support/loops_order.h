#pragma once

#include <selvage/lower/program.h>
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
// On which they were measured: by its data sheet, latencies and the bandwidth of L2 by Jia et al.,
// Dissecting the NVIDIA Volta GPU architecture via microbenchmarking, 2018.
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

// How the items of a matrix lie in its rows, where nothing was published of that.
enum class RowLengths : std::uint8_t {
  Even,      // all rows have equally many
  AtRandom,  // each item is in any row: a warp waits for the longest of 32
};

// The two schedules of y = A x with 32-bit offsets and columns, and the times that they are
// predicted to take (lower/cost.h). Data that L2 holds are read from there, as all runs but the
// first of a loop find them.
class PredictedTimes {
 public:
  explicit PredictedTimes(RowLengths lengths);
  // Microseconds of the matrix, in place of those that are published.
  LoopsTime of(const LoopsTime& time) const;
  LoopsOrder order() const;

 private:
  RowLengths lengths_;
  Fusion fusion_;
  Program thread_, path_;
  Device device_, warm_;
};

}  // namespace selvage::test
