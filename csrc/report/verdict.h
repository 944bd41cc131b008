#pragma once

#include <selvage/report/lines.h>
#include <selvage/report/report.h>

#include <string>

namespace selvage {

// "3 blocks of 4 threads", "2 blocks, in clusters of 2, of 32 threads", "one thread"
std::string shape_text(const Launch& launch);

// Prints the report's verdict in one line: whether it is legal, and the kernels that it makes.
//   Legal: makes kernel_y, 3 blocks of 4 threads (--cuda prints its text)
//   Illegal: E431, the loops of y do not visit every item of it; and 1 error more
//   Wrong: legal, and a run of it went wrong
void print_verdict(const Report& report, Lines& out);

}  // namespace selvage
