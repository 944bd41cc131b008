#include <selvage/runtime/virtual_map.h>

#include "tests/support/virtual_maps.h"

namespace selvage::test {

std::vector<std::array<std::byte, 128>> virtual_maps(const Kernel& kernel,
                                                     std::span<const long long> sizes,
                                                     std::span<Array> arrays) {
  SizeValues known;
  known.symbols = kernel.sizes;
  known.values.assign(sizes.begin(), sizes.end());
  std::vector<std::array<std::byte, 128>> maps;
  for (const BoxMap& map : kernel.maps) {
    TensorMapParameters parameters = tensor_map_parameters(kernel, map, known);
    parameters.address = reinterpret_cast<std::uint64_t>(arrays[map.buffer].bytes.data());
    maps.push_back(virtual_map(parameters).bytes);
  }
  return maps;
}

}  // namespace selvage::test
