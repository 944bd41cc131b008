#pragma once

#include <selvage/legality/tma_part.h>
#include <selvage/legality/tma_questions.h>

#include <vector>

namespace selvage {

// One axis of a number in mixed radix: of an iterdomain, and in the end of memory.
struct TmaTerm {
  std::vector<DomainId> domains;  // outer to inner
  Expr index;
  Expr size;
  TilePart part;
  Expr stride = {};  // in elements, where it lies in memory
};

struct TmaRoles {
  std::vector<TmaTerm> terms;  // in the order of the allocation domain, with strides
  std::int64_t elements = 1;   // of the tile
  Expr place;                  // in the tile as it would be without a swizzle, over its loops
  TmaSwizzle swizzle = TmaSwizzle::None;
};

// One after the other in memory, the inner one without a gap. An axis of one item has no stride.
bool is_contiguous(TmaQuestions& questions, const TmaTerm& outer, const TmaTerm& inner);
// Of the two as one.
Expr common_stride(TmaQuestions& questions, const TmaTerm& outer, const TmaTerm& inner);

// From the graph alone: what each iterdomain is to the copy, up to the axes of memory. A box that a
// merge cut (walked backward) is one axis again where its halves lie behind one another; else they
// have shares of it (law F). Refuses what is no box by E460, a box across a break in memory by
// E462, a swizzle that the hardware does not do by E463, a tile without a known size by E466.
TmaRoles roles_of(TmaQuestions& questions);

}  // namespace selvage
