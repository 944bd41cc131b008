#pragma once

#include <selvage/kernel/expressions.h>
#include <selvage/kernel/kernel.h>

namespace selvage {

// Whether two kernels are the same, under the same premise, but for the width of the integers that
// they compute addresses with. Then whatever is proved of one holds for the other.
bool differ_in_width_alone(const Kernel& a, const Kernel& b);

bool equal(const Facts& a, const Facts& b);
bool equal(const ComputedExpressions& a, const ComputedExpressions& b);

}  // namespace selvage
