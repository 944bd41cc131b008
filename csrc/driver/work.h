#pragma once

#include <selvage/ir/sizes.h>
#include <selvage/kernel/kernel.h>

namespace selvage {

// Statements that all threads of a launch run together, as an estimate from above: guards hold. Of
// a loop that is left, or whose extent has no known end, one iteration is counted.
double statements_of_launch(const Kernel& kernel, const SizeValues& sizes);

}  // namespace selvage
