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

// How the roles lie in memory, as dimensions of a tensor map, outer to inner: neighbours that lie
// behind one another become one dimension, where no hole is lost by that and the box allows it;
// dimensions stand in the order of the tile. Refuses as tma_cuts.h says.
std::vector<TmaDim> dims_of(TmaQuestions& questions, const TmaRoles& roles);

}  // namespace selvage
