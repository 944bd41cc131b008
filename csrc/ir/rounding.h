#pragma once

#include <selvage/ir/fusion.h>

namespace selvage {

// Is what lies in memory of an output anything else than its values, or not known to be the same?
// An output may be stored in another type; and half and bfloat16 are carried in float, so storing
// them rounds, unless the definition shows that each element is one of the type already: it is
// cast, copied from what is, or picked from such.
bool changes_when_stored(const Fusion& fusion, TensorId output);

}  // namespace selvage
