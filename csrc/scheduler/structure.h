#pragma once

#include <selvage/scheduler/device.h>
#include <selvage/scheduler/typical_sizes.h>

#include <string>

namespace selvage {

// What a fusion computes, as text, without the names of its tensors, axes and sizes: two fusions
// with the same text are scheduled alike. Extents and sizes stand there by their class.
std::string structure_of(const Fusion& fusion, const TypicalSizes& sizes);

// The class of an extent: up to 16 itself; else the power of two from which it is less than twice
// as large, and the largest power of two, at most 16, that divides it. So a vector that fits one
// extent of a class fits all.
std::string size_class(std::int64_t extent);

// All numbers of a device, as text.
std::string text_of(const Device& device);

}  // namespace selvage
