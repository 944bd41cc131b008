#pragma once

#include <selvage/ir/schedule.h>
#include <selvage/ir/sizes.h>
#include <selvage/kernel/kernel.h>
#include <selvage/legality/tma.h>
#include <selvage/runtime/driver.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace selvage {

// The parameters of cuTensorMapEncodeTiled for one TMA copy, at one address and for one set of
// sizes. As for the driver, the innermost dimension comes first. Boxes are not interleaved, and
// elements outside the tensor are copied as 0.
struct TensorMapParameters {
  std::string tensor;                   // its name, for messages
  std::vector<std::string> names = {};  // of each dimension
  int type = 0;                         // CU_TENSOR_MAP_DATA_TYPE_..., by number
  std::uint64_t address = 0;
  std::vector<std::uint64_t> sizes = {};    // items
  std::vector<std::uint64_t> strides = {};  // bytes, of all dimensions but the innermost
  std::vector<std::uint32_t> box = {};      // items that the box spans
  std::vector<std::uint32_t> element_strides = {};
  TmaSwizzle swizzle = TmaSwizzle::None;

  std::size_t rank() const { return sizes.size(); }
};

// The parameters for a copy that was analyzed. `sizes` gives the fusion's symbols their values.
// Throws Error (E716) if the copy is not legal, if a condition of its verdict does not hold for
// these sizes and this address, or if a size has no value.
TensorMapParameters tensor_map_parameters(const Schedule& schedule, TensorId tensor,
                                          const TmaCopy& copy,
                                          const std::map<std::string, std::int64_t>& sizes,
                                          std::uint64_t address);

// The parameters of a kernel's tensor map for these sizes, without an address.
TensorMapParameters tensor_map_parameters(const Kernel& kernel, const BoxMap& map,
                                          const SizeValues& sizes);

std::int64_t element_bytes(const TensorMapParameters& parameters);

// Throws Error (E716) that names the first rule of tensor maps that is broken, and where. (The
// driver only says that an argument is invalid.)
void check_tensor_map(const TensorMapParameters& parameters);

// A CUtensorMap: passed to a kernel by value (__grid_constant__), or copied to the GPU, to an
// address that is a multiple of 64 bytes.
struct TensorMap {
  std::array<std::byte, 128> bytes;
};

// Checks and encodes. Throws E705 if the driver is older than CUDA 12.0 or refuses the map.
TensorMap encode(const Driver& driver, const TensorMapParameters& parameters);

}  // namespace selvage
