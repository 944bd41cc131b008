#pragma once

#include <selvage/ir/sizes.h>
#include <selvage/kernel/kernel.h>

namespace selvage {

// Estimates the number of statements that all threads of a launch run, summed over the threads, as
// if all guards held, but those of the first thread or block alone. A loop that may be left, or
// whose extent is not known, counts as one iteration.
double statements_of_launch(const Kernel& kernel, const SizeValues& sizes);

}  // namespace selvage
