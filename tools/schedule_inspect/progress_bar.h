#pragma once

#include <selvage/driver/tune.h>

#include <ostream>

namespace selvage {

// A line that says how far tuning is, where standard error is a terminal; else nothing is printed.
// It is gone when this is.
class ProgressBar {
 public:
  explicit ProgressBar(std::ostream& err);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(const TuneProgress& progress);
  // "[######..................]  4 of 16: y, 128 threads", of at most 79 columns.
  static std::string text(const TuneProgress& progress);

 private:
  std::ostream& err_;
  bool is_shown_;
};

}  // namespace selvage
