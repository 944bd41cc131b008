#pragma once

#include <selvage/legality/tma_roles.h>

#include <vector>

namespace selvage {

// The axes of memory with the halves of every cut box resolved: contiguous halves are joined again,
// others get their shares of the box (law F). Refuses E462 where a box crosses a break in memory.
std::vector<TmaTerm> share_cuts(TmaQuestions& questions, const TmaRoles& roles);

// Whether two axes are contiguous: stride(outer) = size(inner) * stride(inner). The stride of an
// axis of one item does not matter.
bool is_contiguous(TmaQuestions& questions, const TmaTerm& outer, const TmaTerm& inner);
// The stride of two contiguous axes as one.
Expr common_stride(TmaQuestions& questions, const TmaTerm& outer, const TmaTerm& inner);

}  // namespace selvage
