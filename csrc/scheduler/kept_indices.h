#pragma once

#include <selvage/ir/schedule.h>

namespace selvage {

// Has threads keep, in a register each, what is read through gathers and is part of an index of
// another gather, as in a search: recomputed where it is read, each step of that would be written
// out again with all steps before it.
void keep_indices(Schedule& schedule);

// Stores what is found by a search, a gather at an index that comes from a gather, where it is
// itself read through gathers or by several tensors that are stored: else each of these would
// search again.
Schedule with_stored_finds(const Schedule& schedule);

}  // namespace selvage
