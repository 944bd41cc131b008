#pragma once

#include <chrono>

namespace selvage::peers {

class Stopwatch {
 public:
  double nanoseconds() const {
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start_;
    return time.count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace selvage::peers
