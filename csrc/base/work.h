#pragma once

#include <cstdint>

namespace selvage {

// Work done by this thread so far, in units of about ten nanoseconds. Counted where it is done and
// never timed, so that what is given up when a budget ends is the same on every machine.
inline constinit thread_local std::uint64_t work_done = 0;

inline void count_work(std::uint64_t units = 1) { work_done += units; }

}  // namespace selvage
