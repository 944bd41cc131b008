#pragma once

#include <selvage/ir/schedule.h>

namespace selvage {

// One thread for each element: all loops of the tensor merged, cut into blocks of 128 threads. What
// it folds over, each thread runs through.
void schedule_pointwise(Schedule& schedule, TensorId tensor);

}  // namespace selvage
