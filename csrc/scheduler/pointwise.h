#pragma once

#include <selvage/ir/schedule.h>

namespace selvage {

// Gives each element one thread: merges all loops of the tensor that it does not fold over, and
// cuts the result into blocks of 128 threads. Each thread runs through the folded loops serially.
void schedule_pointwise(Schedule& schedule, TensorId tensor);

}  // namespace selvage
