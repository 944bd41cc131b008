#pragma once

#include <selvage/kernel/kernel.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace selvage {

// Where the elements of a box (AsyncCopy::Box) lie in global memory, at numbers for all sizes.
struct BoxItems {
  explicit BoxItems(const BoxMap& map) : map(map) {}

  // The address of the k-th element, in the order of the dimensions; nullopt: outside of one.
  std::optional<std::int64_t> at(std::int64_t k) const {
    std::int64_t address = 0;
    bool is_inside = true;
    for (std::size_t d = dims.size(); d-- > 0;) {
      const BoxMap::Dim& dim = map.dims[d];
      const std::int64_t i = dims[d].corner + k % dim.count() * dim.element_stride;
      k /= dim.count();
      is_inside = is_inside && 0 <= i && i < dims[d].size;
      address += i * dims[d].stride;
    }
    return is_inside ? std::optional(address) : std::nullopt;
  }

  struct Dim {
    std::int64_t corner, size, stride;
  };
  const BoxMap& map;
  std::vector<Dim> dims = {};
};

}  // namespace selvage
