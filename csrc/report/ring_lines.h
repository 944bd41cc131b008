#pragma once

#include <selvage/ir/schedule.h>
#include <selvage/report/lines.h>

namespace selvage {

// The first iterations of the ring in which copies of t end later: which tile each begins to copy,
// awaits and uses, in which slot; a dot where there is none. Nothing for a tensor without a ring.
void print_ring(const Schedule& schedule, TensorId t, Lines& out);

}  // namespace selvage
