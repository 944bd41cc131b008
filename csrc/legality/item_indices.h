#pragma once

#include <selvage/legality/analysis.h>

#include <span>
#include <vector>

namespace selvage {

// What is said of inner loops of which some points are holes, said of the indices that these loops
// make: where v + rest is the index of an iterdomain of n items, v is item - rest, 0 <= item < n.
// An expression of `inner` with `loops` substituted has, over `variables`, the values that it has
// at valid points, and no others.
struct ItemIndices {
  Environment loops;
  std::vector<Expr> variables;  // `inner`, and the items
  Facts facts;                  // the nest's ranges, and those of the items
};
ItemIndices item_indices(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& nest,
                         std::span<const Expr> inner);

}  // namespace selvage
