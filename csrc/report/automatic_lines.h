#pragma once

#include <selvage/report/lines.h>
#include <selvage/report/report.h>

namespace selvage {

// How the kernels of a fusion were scheduled that nobody had scheduled: the plan, the time that the
// model predicts, and what limits it. `with_reasons`: also the next best plan and its time.
void print_automatic(const FusionReport& fusion, bool with_reasons, Lines& out);

}  // namespace selvage
