#pragma once

#include <selvage/ir/nests.h>

#include <string>
#include <vector>

namespace selvage {

// The parts that are stored of each element of a tensor, each in memory of its own:
//   a partial tensor                            every component of the state
//   an output whose type rounds and that other  the output, and the value before rounding, which
//   tensors of the fusion read                  they read
//   any other tensor                            the element
struct StoredPart {
  std::string name;  // "tensor" or, for one of several parts, "tensor.part"
  DataType type = DataType::Float;
};
std::vector<StoredPart> parts_of(const Fusion& fusion, const Nests& nests, TensorId tensor);

// The number of the part that readers of the tensor read; of a partial tensor, `component`.
std::size_t part_read(const Fusion& fusion, const Nests& nests, TensorId tensor,
                      std::size_t component);

// The name of the memory that counts the blocks of a kernel whose last one computes a tensor.
std::string counter_name(const Fusion& fusion, TensorId tensor);

}  // namespace selvage
