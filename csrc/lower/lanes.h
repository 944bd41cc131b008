#pragma once

#include <selvage/legality/analysis.h>
#include <selvage/lower/draft.h>

#include <optional>
#include <span>

namespace selvage {

// How a group of elements is stored as one access: what is loaded into buffers of the thread, the
// store of one element into another, and the access that stores them all.
//   a.lanes = a[t0 .. +4]
//   for v in 4 (Vectorize)
//     y.lanes[v] = relu(a.lanes[v] + b[0])
//   y[t0 .. +4] = y.lanes
// Addresses are as the analysis has them: for the group, its variable replaced by 0.
struct Lanes {
  std::vector<Transfer> loads;  // of reads whose elements lie side by side, aligned
  std::vector<Store> elements;  // of one element, one after the other
  std::optional<Transfer> store;
  std::vector<Expr> conditions;  // at launch, under which all accesses are aligned
};

// `stores`: of one element, over all loops; where a group is stored as one access, there is one.
// Buffers and values are added to the draft's kernel. The vector of the analysis must be legal.
Lanes lanes_of(const Fusion& fusion, const DomainGraph& graph, const TensorAnalysis& analysis,
               std::span<const Store> stores, KernelDraft& draft);

}  // namespace selvage
