#pragma once

#include <selvage/report/lines.h>
#include <selvage/threads/region.h>

namespace selvage {

// Why each mask is constant, by iteration or dynamic, and why each barrier is there; behind which
// regions there is none.
void print_reasons(const LoweredThreads& lowered, Lines& out);

}  // namespace selvage
