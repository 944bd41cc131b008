#pragma once

#include <selvage/report/lines.h>
#include <selvage/report/report.h>

#include <string>
#include <vector>

namespace selvage {

// A thread program for a person: its levels, each region with its mask and its threads, and whether
// asynchronous regions that run side by side are disjoint and complete.
void print_threads(const ThreadReport& report, Lines& out);
// Why each mask is constant, by iteration or dynamic; why each barrier is there; and the regions
// that have no barrier at their end.
void print_reasons(const LoweredThreads& lowered, Lines& out);
// The results of runs: the threads that ran each region.
void print_thread_runs(const ThreadReport& report, Lines& out);

// The mask of an iteration of serial loops, "i = 0, j = 3". If there is one loop, consecutive
// iterations with the same mask are one entry: "i = 0 to 2".
struct NamedIteration {
  std::string name;
  ThreadMask mask;
};
std::vector<NamedIteration> named_iterations(const RegionThreads& who);

}  // namespace selvage
