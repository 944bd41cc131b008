#pragma once

#include <selvage/report/lines.h>
#include <selvage/report/report.h>

namespace selvage {

// The plans that were tried for each kernel of a fusion, the fastest first, and how far the model
// was off; nothing where none were. `with_reasons`: what it took, too.
void print_tuned(const FusionReport& fusion, bool with_reasons, Lines& out);

// How far a prediction is from what was measured: "+12 %" is too slow.
std::string off_text(double predicted, double measured);

}  // namespace selvage
