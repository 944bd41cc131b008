#pragma once

#include <selvage/report/lines.h>
#include <selvage/report/report.h>

#include <string>
#include <vector>

namespace selvage {

// A thread program for a person: its levels, each region with its mask and who that is, what
// asynchronous regions are to one another.
void print_threads(const ThreadReport& report, Lines& out);
// Why each mask is constant, by iteration or dynamic, and why each barrier is there; behind which
// regions there is none.
void print_reasons(const LoweredThreads& lowered, Lines& out);
// What runs have shown: who ran each region.
void print_thread_runs(const ThreadReport& report, Lines& out);

// The mask of an iteration of serial loops, "i = 0, j = 3"; where there is one loop, those that
// follow one another and are alike are one: "i = 0 to 2".
struct NamedIteration {
  std::string name;
  ThreadMask mask;
};
std::vector<NamedIteration> named_iterations(const RegionThreads& who);

}  // namespace selvage
