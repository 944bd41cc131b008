#pragma once

#include <selvage/kernel/verify_access.h>

namespace selvage {

// Whether a number from memory, whatever memory holds, lies in 0 .. most, by how its value is made:
// of minima, maxima and selects of indices, constants and unsigned elements.
bool lies_in_range(const AccessMap& map, const MemoryNumber& number);

}  // namespace selvage
