#pragma once

#include <selvage/ir/schedule.h>

#include <string>

namespace selvage {

// A schedule file (section 2) that says the same: reading it gives a fusion whose tensors have the
// same definitions, one for one, and a schedule with the same loops, places and memories; written
// again it is the same text. `schedule` is one of `fusion`.
//   - A view has no iterdomains of its own there: it is what its subscripts say.
//   - Names that a file cannot have, or that are taken, get a `_`, or several.
//   - What is inlined into its readers has no loops to speak of, and none are written.
//   - like() and with_defaults() are written as the loops and places that they have come to.
// Throws BadInput E590 for what a file cannot say, and names the tensor: subscripts that are not
// affine, loops that do not come of the tensor's iterdomains step by step, an index whose extent no
// read tells, layouts other than strides, statements past the limits of a file, ...
std::string to_schedule_file(const Fusion& fusion, const Schedule& schedule);

}  // namespace selvage
