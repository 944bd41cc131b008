#pragma once

#include <selvage/legality/tma.h>
#include <selvage/legality/tma_roles.h>

#include <vector>

namespace selvage {

// The limits of a tensor map (cuTensorMapEncodeTiled) and of the copy.
struct TmaLimits {
  static constexpr std::size_t kRank = 5;
  static constexpr std::int64_t kSize = std::int64_t{1} << 32;    // items of a dimension
  static constexpr std::int64_t kStride = std::int64_t{1} << 40;  // bytes, below
  static constexpr std::int64_t kBox = 256;
  static constexpr std::int64_t kElementStride = 8;
  static constexpr std::int64_t kAlign = 16;              // bytes: base, strides, inner box
  static constexpr std::int64_t kTileBytes = 227 * 1024;  // of shared memory
};

// The dimensions of the tensor map, outer to inner, from how the roles lie in memory. Contiguous
// neighbours become one dimension if no hole is lost by that and the box allows it; dimensions are
// in the order of the tile (E460 if a loop of the tile moves no item). Refuses as tma_cuts.h says.
std::vector<TmaDim> dims_of(TmaQuestions& questions, const TmaRoles& roles);

}  // namespace selvage
