#pragma once

#include <selvage/simplifier/interval.h>

#include <cstdint>

namespace selvage {

// The narrowest type that holds all values of an interval; Beyond if an end is infinite.
enum class Width : std::uint8_t { Int32, Int64, Beyond };
Width width_of(const Interval& values);

}  // namespace selvage
