#pragma once

#include <selvage/ir/schedule.h>
#include <selvage/legality/tma.h>
#include <selvage/runtime/driver.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace selvage {

// What cuTensorMapEncodeTiled is given for one TMA copy, at one address and for one set of sizes.
// As the driver has it, the innermost dimension comes first. Boxes are not interleaved, and what
// lies outside the tensor is brought as 0.
struct TensorMapParameters {
  std::string tensor;                   // of whom messages speak
  std::vector<std::string> names = {};  // of each dimension
  int type = 0;                         // CU_TENSOR_MAP_DATA_TYPE_..., by number
  std::uint64_t address = 0;
  std::vector<std::uint64_t> sizes = {};    // items
  std::vector<std::uint64_t> strides = {};  // bytes, of all dimensions but the innermost
  std::vector<std::uint32_t> box = {};      // items that it spans
  std::vector<std::uint32_t> element_strides = {};
  TmaSwizzle swizzle = TmaSwizzle::None;

  std::size_t rank() const { return sizes.size(); }
};

// The parameters by the verdict on a copy. `sizes` gives the fusion's symbols their values.
// Throws Error (E716) where the copy is not legal, where a condition of its verdict does not hold
// for these sizes and this address, or where a size has no value.
TensorMapParameters tensor_map_parameters(const Schedule& schedule, TensorId tensor,
                                          const TmaCopy& copy,
                                          const std::map<std::string, std::int64_t>& sizes,
                                          std::uint64_t address);

// Throws Error (E716) with the first rule of a tensor map that is broken, and where: the driver
// only says that an argument is invalid.
void check_tensor_map(const TensorMapParameters& parameters);

// A CUtensorMap: a kernel's argument by value (__grid_constant__), or copied to the GPU, there to a
// multiple of 64 bytes.
struct TensorMap {
  std::array<std::byte, 128> bytes;
};

// Checks and encodes. Throws E705 where the driver is older than CUDA 12.0 or refuses it.
TensorMap encode(const Driver& driver, const TensorMapParameters& parameters);

}  // namespace selvage
