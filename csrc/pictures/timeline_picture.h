#pragma once

#include <selvage/index/thread_mask.h>
#include <selvage/pictures/svg.h>

#include <cstddef>
#include <span>
#include <string>

namespace selvage {

// One thing that threads do, in program order.
//   Code     a statement
//   Region   what follows at a greater depth is inside of it
//   Barrier  where exactly these threads wait for one another
struct TimelineStep {
  enum class Kind { Code, Region, Barrier };
  Kind kind = Kind::Code;
  std::string label;
  ThreadMask threads;  // all steps have the same levels
  int depth = 0;       // of the regions around it
  bool is_async = false;
};

// Threads across, those that do the same in one column; program order down: a bar of code, a frame
// of a region, a line of a barrier stand at the threads that take part. At most kMostTimelineSteps
// steps and kMostTimelineGroups groups of threads are drawn, and it is said what is not.
inline constexpr std::size_t kMostTimelineSteps = 300, kMostTimelineGroups = 24;
Drawing timeline_picture(std::span<const TimelineStep> steps);

}  // namespace selvage
