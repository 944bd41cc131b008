#pragma once

#include <selvage/legality/tma_part.h>
#include <selvage/legality/tma_questions.h>
#include <selvage/legality/tma_swizzle.h>

#include <optional>
#include <vector>

namespace selvage {

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

}  // namespace selvage
