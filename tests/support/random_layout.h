#pragma once

#include <selvage/ir/buffer_layout.h>

#include <random>

namespace selvage::test {

// A layout of the loops that the tensor has now, in any order, some of them cut up, padded, merged
// or swizzled further (Illegal).
void lay_out(Schedule& s, TensorId t, std::mt19937_64& rng);

}  // namespace selvage::test
