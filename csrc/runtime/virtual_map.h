#pragma once

#include <selvage/runtime/tensor_map.h>

#include <array>
#include <cstdint>
#include <functional>

namespace selvage {

// A tensor map as the virtual device reads it: in the 128 bytes of a CUtensorMap, whose own coding
// only the driver knows. Innermost dimension first.
struct VirtualMap {
  static constexpr std::size_t kRank = 5;
  std::uint64_t address = 0;
  std::array<std::int64_t, kRank> strides{};  // bytes
  std::array<std::uint32_t, kRank> last{};    // item of each dimension: sizes are up to 2^32
  std::array<std::uint16_t, kRank> box{};
  std::array<std::uint8_t, kRank> element_strides{};
  std::uint8_t rank = 0, element_bytes = 0, swizzle_bytes = 0;
  std::uint8_t type = 0;  // CU_TENSOR_MAP_DATA_TYPE_..., by number

  // Calls element(k, item) for each element of the box with this corner, in the order of the tile:
  // `k`, where it lies in bytes behind the first one, and its item in memory; null: outside.
  using Element = std::function<void(std::int64_t k, const char* item)>;
  void visit(const int* corner, const Element& element) const;
  std::int64_t box_bytes() const;
};
static_assert(sizeof(VirtualMap) <= sizeof(TensorMap));

// Checks the parameters as encode() does.
TensorMap virtual_map(const TensorMapParameters& parameters);

}  // namespace selvage
