#pragma once

#include <selvage/legality/tma_roles.h>

#include <vector>

namespace selvage {

// The axes of memory with every half of a cut box resolved: halves find together where they lie
// behind one another, or get their shares of the box (law F). Refuses E462 where a box crosses a
// break in memory.
std::vector<TmaTerm> share_cuts(TmaQuestions& questions, const TmaRoles& roles);

// One after the other in memory, the inner one without a gap. An axis of one item has no stride.
bool is_contiguous(TmaQuestions& questions, const TmaTerm& outer, const TmaTerm& inner);
// Of the two as one.
Expr common_stride(TmaQuestions& questions, const TmaTerm& outer, const TmaTerm& inner);

}  // namespace selvage
