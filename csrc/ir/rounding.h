#pragma once

#include <selvage/ir/fusion.h>

namespace selvage {

// May storing the tensor in its own type change an element? Half and bfloat16 are carried in float,
// so it may, unless the definition shows that each element is one of the type already: it is cast,
// copied from what is, or picked from such. What is not seen at a glance may lose digits.
bool loses_digits(const Fusion& fusion, TensorId tensor);

}  // namespace selvage
