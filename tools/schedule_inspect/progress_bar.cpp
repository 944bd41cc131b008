#include <fmt/format.h>
#include <unistd.h>

#include <tools/schedule_inspect/progress_bar.h>

#include <algorithm>
#include <iostream>

namespace selvage {

namespace {

constexpr const char* kEraseLine = "\r\x1b[2K";

}  // namespace

ProgressBar::ProgressBar(std::ostream& err)
    : err_(err), is_shown_(&err == &std::cerr && isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (is_shown_) err_ << kEraseLine << std::flush;
}

void ProgressBar::show(const TuneProgress& progress) {
  if (is_shown_) err_ << kEraseLine << text(progress) << std::flush;
}

std::string ProgressBar::text(const TuneProgress& progress) {
  constexpr int kBar = 24;
  constexpr std::size_t kColumns = 79;
  const int full = progress.all > 0 ? std::min(kBar * progress.done / progress.all, kBar) : kBar;
  std::string line = fmt::format("[{}{}] {:>2} of {}: {}, {}", std::string(std::size_t(full), '#'),
                                 std::string(std::size_t(kBar - full), '.'), progress.done,
                                 progress.all, progress.kernel, progress.plan);
  if (line.size() > kColumns) line = line.substr(0, kColumns - 3) + "...";
  return line;
}

}  // namespace selvage
