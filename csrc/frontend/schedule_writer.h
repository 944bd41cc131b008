#pragma once

#include <selvage/ir/schedule.h>

#include <string>

namespace selvage {

// Writes a schedule file (section 2). Reading it gives a fusion whose tensors have the same
// definitions, one for one, and a schedule with the same loops, places and memories; writing that
// gives the same text again. `schedule` is one of `fusion`.
//   - A view is written by its subscripts, without iterdomains of its own.
//   - Names that a file cannot have, or that are taken, get one or more `_`.
//   - A tensor that is inlined into its readers is written without loops.
//   - like() and with_defaults() are written as the loops and places that they gave.
// Throws BadInput E590, which names the tensor, for anything that a file cannot express: subscripts
// that are not affine, loops to which no transforms lead step by step from the tensor's
// iterdomains, layouts other than strides, statements past the limits of a file, ...
std::string to_schedule_file(const Fusion& fusion, const Schedule& schedule);
// The same of the schedule alone, `schedule:` and what stands under it, whatever the fusion is: a
// file that computes it may be written in other ways. Throws E590 for loops and layouts as above.
std::string to_schedule_section(const Fusion& fusion, const Schedule& schedule);

}  // namespace selvage
