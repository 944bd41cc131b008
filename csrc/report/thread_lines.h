#pragma once

#include <selvage/report/lines.h>
#include <selvage/report/report.h>

namespace selvage {

// A thread program for a person: its levels, each region with its mask and who that is, what
// asynchronous regions are to one another.
void print_threads(const ThreadReport& report, Lines& out);
// What runs have shown: who ran each region.
void print_thread_runs(const ThreadReport& report, Lines& out);

}  // namespace selvage
