#pragma once

#include <cstdint>
#include <optional>

namespace selvage {

// How the index of an iterdomain moves within one copy. In the loops' order the tile is a number
// 0 .. elements-1; the index takes `count` values, each `step` after the one before, and goes to
// the next one every `weight` elements of the tile:
//
//   index = (what the box's place says) + step * (tile / weight % count)
//
// Roles, from the loops on towards memory; o, i the parts of a split, B the box, e the stride:
//   Coordinate                     count = 1
//   Tile       bound to Bulk       index = place in the tile                       whole
//   Box        o Tile, i not       index = o*e + i,          e = |i|
//   Boxed      o not, i Tile, Box  index = o*B + i                                 boxed
struct TilePart {
  bool in_tile = false;
  bool whole = false;
  bool boxed = false;
  bool aligned = false;  // the box begins at a multiple of itself, up to a place within one step
  std::int64_t count = 1, weight = 1, step = 1;
  std::int64_t box = 1;  // ceil(box / step) == count
};

// One axis for outer*size(inner) + inner, where its values in the tile have one step; else nothing.
std::optional<TilePart> fused(const TilePart& outer, const TilePart& inner,
                              std::optional<std::int64_t> inner_size,
                              std::optional<std::int64_t> size, bool inner_is_multiple);

}  // namespace selvage
