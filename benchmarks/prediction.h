#pragma once

#include <selvage/ir/fusion.h>
#include <selvage/scheduler/automatic.h>

#include <string>

namespace selvage::benchmarks {

// What the model of a device predicts for the automatic schedule of a fusion, beside a copy.
struct Prediction {
  double bytes = 0;    // each input and output once
  double seconds = 0;  // of all kernels, by the plans that were taken
  double copy = 0;     // seconds in which a kernel reads and stores as many bytes
  int kernels = 0;
  double over_floor = 1;    // bytes from and to memory, to `bytes`
  std::string reason = {};  // one line: what keeps it from the time of a copy

  double share() const { return copy / seconds; }
  double bandwidth() const { return bytes / seconds; }
};

Prediction predict(const Fusion& fusion, const AutomaticSchedule& schedule, const Device& device);
Prediction predict(const Fusion& fusion, const Device& device);

}  // namespace selvage::benchmarks
