#pragma once

#include <selvage/scheduler/stored_tensors.h>

namespace selvage {

// Has threads keep, in a register each, what is read through gathers and is part of an index of
// another gather, as in a search: recomputed where it is read, each step of that would be written
// out again with all steps before it.
void keep_indices(Schedule& schedule, const DecidesOf& decides = of_all);

}  // namespace selvage
