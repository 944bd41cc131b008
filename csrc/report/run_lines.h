#pragma once

#include <selvage/driver/run.h>
#include <selvage/report/lines.h>

#include <vector>

namespace selvage {

// What running has shown: one line for each output and machine, then what went wrong.
void print_runs(const std::vector<RunResult>& runs, Lines& out);

}  // namespace selvage
