// For tests that want a GPU.
#pragma once

#include <selvage/driver/run.h>
#include <selvage/runtime/driver.h>
#include <selvage/runtime/nvrtc.h>

#include <string>

namespace selvage::test {

// Why the test cannot run on a GPU; empty if there is one.
inline std::string why_no_gpu() {
  if (Driver::instance() == nullptr) return Driver::why_absent();
  return Nvrtc::instance() == nullptr ? Nvrtc::why_absent() : "";
}

// What went wrong in a run; empty if nothing did.
inline std::string wrong(const RunResult& result) {
  std::string text;
  for (const std::string& fault : result.faults) text += fault + "\n";
  for (const Comparison& c : result.comparisons) {
    if (c.failures > 0) text += std::string(to_string(c.machine)) + ": " + c.first + "\n";
  }
  return text;
}

}  // namespace selvage::test
