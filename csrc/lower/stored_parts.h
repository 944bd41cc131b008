#pragma once

#include <selvage/ir/fusion.h>

#include <string>
#include <vector>

namespace selvage {

// What is stored of each element of a tensor: itself; of a partial tensor, a state, every component
// of it in memory of its own.
struct StoredPart {
  std::string name;  // of the tensor; with that of the component where there are several
  DataType type = DataType::Float;
};
std::vector<StoredPart> parts_of(const Fusion& fusion, TensorId tensor);

}  // namespace selvage
