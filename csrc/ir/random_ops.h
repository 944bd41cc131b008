// Random numbers without a state: item k of a tensor, counted row by row from 0, has number k of a
// seed (base/philox.h). So the same seed gives the same numbers on every machine, under every
// schedule, in every shape of as many items; another seed gives others. A seed is an integer, or a
// tensor of integers without axes, such as an input that each call gives anew.
//   Tensor seed = f.input("seed", {}, DataType::Int64);
//   Tensor noise = random_normal(f, {M, N}, seed) * 0.1;
#pragma once

#include <selvage/ir/ops.h>

namespace selvage {

Tensor random_bits(Fusion& f, std::vector<Extent> shape, Operand seed);     // uint32
Tensor random_uniform(Fusion& f, std::vector<Extent> shape, Operand seed);  // float in [0, 1)
Tensor random_normal(Fusion& f, std::vector<Extent> shape, Operand seed);   // of mean 0, variance 1

// x / (1 - p) where the number of the item is at least p, else 0: a share p of the items is 0, and
// all of them where p is 1. E511 unless 0 <= p <= 1.
Tensor dropout(Tensor x, double p, Operand seed);

}  // namespace selvage
