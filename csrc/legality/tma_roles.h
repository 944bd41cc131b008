#pragma once

#include <selvage/legality/tma.h>
#include <selvage/legality/tma_questions.h>

#include <optional>
#include <vector>

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

// One axis of a number in mixed radix: of an iterdomain, and in the end of memory.
struct TmaTerm {
  std::vector<DomainId> domains;  // outer to inner
  Expr index;
  Expr size;
  TilePart part;
  // One half of a box that a merge cut (walked backward): what it is shows only in memory.
  struct Half {
    std::size_t cut;
    bool outer;
    friend bool operator==(const Half&, const Half&) = default;
  };
  std::optional<Half> half = {};
  Expr radix = {};         // of a half: as the cut made it; the size is as it lies in memory
  std::int64_t scale = 1;  // of a half: what it was multiplied by since
  bool shifted = false;    // resized since, or part of a larger number
  Expr stride = {};        // in elements, where it lies in memory
};

// A box that an iterdomain's parts share: x = outer*|inner| + inner, computed from x.
struct TmaCut {
  TmaTerm whole;
  DomainId in, outer, inner;
};

struct TmaRoles {
  std::vector<TmaTerm> terms;  // in the order of the allocation domain, with strides
  std::vector<TmaCut> cuts;
  std::int64_t elements = 1;  // of the tile
  Expr place;                 // in the tile as it would be without a swizzle, over its loops
  TmaSwizzle swizzle = TmaSwizzle::None;
};

// From the graph alone: what each iterdomain is to the copy. Refuses what is no box by E460, a
// swizzle that the hardware does not do by E463, a tile without a known size by E466.
TmaRoles roles_of(TmaQuestions& questions);

// One axis for outer*size(inner) + inner, where its values in the tile have one step; else nothing.
std::optional<TilePart> fused(const TilePart& outer, const TilePart& inner,
                              std::optional<std::int64_t> inner_size,
                              std::optional<std::int64_t> size, bool inner_is_multiple);

}  // namespace selvage
