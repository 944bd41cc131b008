#include <selvage/ir/about.h>

namespace selvage {

std::vector<std::uint32_t> as_subjects(std::span<const TensorId> tensors) {
  std::vector<std::uint32_t> all;
  for (TensorId t : tensors) all.push_back(std::uint32_t(t));
  return all;
}

}  // namespace selvage
