#pragma once

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

// 0, 32, 64 or 128: the inner box has at most so many bytes.
std::int64_t swizzle_bytes(TmaSwizzle swizzle);

// How the roles lie in memory, as dimensions of a tensor map, outer to inner: halves of a cut box
// find together where they lie behind one another, or get their shares of it (law F); neighbours
// that lie behind one another become one dimension, where no hole is lost by that and the box
// allows it; dimensions stand in the order of the tile. Refuses E462 where a box crosses a break.
std::vector<TmaDim> dims_of(TmaQuestions& questions, const TmaRoles& roles);

}  // namespace selvage
