#pragma once

#include <selvage/simplifier/interval.h>

#include <cstdint>

namespace selvage {

// The least of these that holds every value of something.
enum class Width : std::uint8_t { Int32, Int64, Beyond };
Width width_of(const Interval& values);

}  // namespace selvage
