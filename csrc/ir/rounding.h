#pragma once

#include <selvage/ir/fusion.h>

namespace selvage {

// Whether an output in memory may differ from its values. An output may be stored in another type.
// And half and bfloat16 are carried in float, so storing them rounds, unless the definition shows
// that each element is a number of the type already: it is cast to the type, copied from such a
// number, or picked from several.
bool changes_when_stored(const Fusion& fusion, TensorId output);

}  // namespace selvage
