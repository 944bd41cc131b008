#pragma once

#include <selvage/legality/tma_part.h>
#include <selvage/legality/tma_questions.h>
#include <selvage/legality/tma_swizzle.h>

#include <optional>
#include <vector>

namespace selvage {

// One axis of an index in mixed radix: first of an iterdomain's, in the end of an address in
// memory.
struct TmaTerm {
  std::vector<DomainId> domains;  // outer to inner
  Expr index;
  Expr size;
  TilePart part;
  // One half of a box that a merge, walked backward, has cut: how it lies in memory decides what
  // becomes of it.
  struct Half {
    std::size_t cut;
    bool outer;
    friend bool operator==(const Half&, const Half&) = default;
  };
  std::optional<Half> half = {};
  Expr radix = {};         // of a half: its extent as it was cut; `size` is that in memory
  std::int64_t scale = 1;  // of a half: what it was multiplied by since
  bool shifted = false;    // resized since, or part of a larger number
  Expr stride = {};        // in elements, where it lies in memory
};

// A box of x that both parts share: x = outer*|inner| + inner, computed from x.
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

// Finds from the graph alone what role each iterdomain has in the copy. Refuses E460 what is no
// box, E461 a tile of more than 2^63 bytes, E463 a swizzle that the hardware does not do, E466 a
// tile without a known size or with too many merges.
TmaRoles roles_of(TmaQuestions& questions);

}  // namespace selvage
