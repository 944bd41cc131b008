#pragma once

#include <selvage/legality/tma.h>
#include <selvage/legality/tma_roles.h>

#include <string_view>
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
// dimensions stand in the order of the tile. Refuses what is no box by E460.
std::vector<TmaDim> dims_of(TmaQuestions& questions, const TmaRoles& roles);

// The element type of a tensor map, CU_TENSOR_MAP_DATA_TYPE_...: a copy only moves bytes, so types
// without one of their own go as unsigned integers of their size.
std::string_view tensor_map_type(DataType type);

// Every rule of a tensor map and of its tile. A rule that is broken refuses the copy by E461 and
// its name; one that may hold at launch becomes a condition. An outer dimension of one item is
// given a stride that fits: it has none of its own.
void check_rules(TmaQuestions& questions, const TmaRoles& roles, std::vector<TmaDim>& dims);

// What the holes of the tile hold, by the tensor map's dimensions. Sets strong, strong_reason, hole
// and guard of the copy.
//
//   by hardware   in bounds in every dimension of the map  implies  no hole
//   by fallback   one element valid, another one of the same copy in bounds  implies  that is no
//                 hole: a copy without a valid element is issued past the end
//
// The first is proved, or all points are looked at, or it is decided as a claim with the tile's
// loops; the second as one with the tile's loops twice.
void judge_holes(TmaQuestions& questions, TmaCopy& copy);

}  // namespace selvage
