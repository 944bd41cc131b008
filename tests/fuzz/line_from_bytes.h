#pragma once

#include <cstdint>
#include <span>

#include "tests/corpus/line.h"

namespace selvage::fuzz {

// Any bytes as facts and an expression: parameters and loops, also loops that depend on outer ones,
// every operator, divisors that are compound, negative or 0, numbers at the ends of 32 and 64 bits,
// and half of the time a guard. A byte changes little; past their end all bytes are 0.
corpus::Line line_from_bytes(std::span<const std::uint8_t> bytes);

}  // namespace selvage::fuzz
