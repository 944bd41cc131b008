#include <selvage/base/integer.h>
#include <selvage/runtime/virtual_map.h>

#include <cstring>

namespace selvage {

std::int64_t VirtualMap::box_bytes() const {
  std::int64_t bytes = element_bytes;
  for (std::size_t d = 0; d < rank; ++d) bytes *= ceil_div(box[d], element_strides[d]);
  return bytes;
}

void VirtualMap::visit(const int* corner, const Element& element) const {
  const std::int64_t end = box_bytes(), chunks = swizzle_bytes / 16;
  for (std::int64_t byte = 0; byte < end; byte += element_bytes) {
    std::int64_t rest = byte / element_bytes, from = 0;
    bool is_inside = true;
    for (std::size_t d = 0; d < rank; ++d) {
      const std::int64_t count = ceil_div(box[d], element_strides[d]);
      const std::int64_t i = corner[d] + rest % count * element_strides[d];
      rest /= count;
      is_inside = is_inside && 0 <= i && i <= std::int64_t(last[d]);
      from += i * strides[d];
    }
    // As legality/tma_swizzle.h says.
    const std::int64_t to = chunks == 0 ? byte : byte ^ (byte / 128 % chunks * 16);
    element(to, is_inside ? reinterpret_cast<const char*>(address) + from : nullptr);
  }
}

TensorMap virtual_map(const TensorMapParameters& parameters) {
  check_tensor_map(parameters);
  VirtualMap map{.address = parameters.address};
  map.rank = static_cast<std::uint8_t>(parameters.rank());
  map.element_bytes = static_cast<std::uint8_t>(element_bytes(parameters));
  map.type = static_cast<std::uint8_t>(parameters.type);
  map.swizzle_bytes = static_cast<std::uint8_t>(swizzle_bytes(parameters.swizzle));
  for (std::size_t d = 0; d < parameters.rank(); ++d) {
    map.strides[d] =
        d == 0 ? map.element_bytes : static_cast<std::int64_t>(parameters.strides[d - 1]);
    map.last[d] = static_cast<std::uint32_t>(parameters.sizes[d] - 1);
    map.box[d] = static_cast<std::uint16_t>(parameters.box[d]);
    map.element_strides[d] = static_cast<std::uint8_t>(parameters.element_strides[d]);
  }
  TensorMap encoded{};
  std::memcpy(encoded.bytes.data(), &map, sizeof map);
  return encoded;
}

}  // namespace selvage
