#pragma once

#include <selvage/ir/schedule.h>

#include <memory>

#include "tests/oracle/graph.h"

namespace selvage {

// A graph of the oracle as a schedule file's tensor T: an int32 output whose element is the
// row-major number of its logical indices, under the graph's transforms and loops, serial.
struct EngineSchedule {
  explicit EngineSchedule(const oracle::Graph& graph);

  std::unique_ptr<Fusion> fusion = std::make_unique<Fusion>();
  TensorId tensor{};
  std::unique_ptr<Schedule> schedule;
  std::vector<ScheduledLoop> loops;
};

}  // namespace selvage
