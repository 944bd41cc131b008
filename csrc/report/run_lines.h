#pragma once

#include <selvage/driver/run.h>
#include <selvage/report/lines.h>

#include <string>
#include <vector>

namespace selvage {

// "by emulation"; "on the GPU, NAME".
std::string where(Machine machine, const std::string& device);
// "compiled in 81.2 ms; k ran 0.031 ms"
std::string to_text(const RunTimes& times);

// Prints the results of runs: one line for each output and machine, then faults and differences.
void print_runs(const std::vector<RunResult>& runs, Lines& out);

}  // namespace selvage
