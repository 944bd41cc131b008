#pragma once

#include <selvage/ir/nests.h>

#include <string>
#include <vector>

namespace selvage {

// What is stored of each element of a tensor: itself; of a partial tensor, a state, every component
// of it in memory of its own; of an output that storing changes and that others of the fusion read,
// the output and, for those, what it was before.
struct StoredPart {
  std::string name;  // of the tensor; with that of the part where there are several
  DataType type = DataType::Float;
};
std::vector<StoredPart> parts_of(const Fusion& fusion, const Nests& nests, TensorId tensor);

// The part that holds what readers of the tensor read; of a partial tensor, its component.
std::size_t part_read(const Fusion& fusion, const Nests& nests, TensorId tensor,
                      std::size_t component);

}  // namespace selvage
