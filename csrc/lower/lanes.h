#pragma once

#include <selvage/legality/analysis.h>
#include <selvage/lower/draft.h>

#include <optional>
#include <span>

namespace selvage {

// The statements that store a group of elements as one access: loads into local buffers, the store
// of one element to another local buffer, and one store of all elements.
//   a.lanes = a[t0 .. +4]
//   for v in 4 (Vectorize)
//     y.lanes[v] = relu(a.lanes[v] + b[0])
//   y[t0 .. +4] = y.lanes
// The address of a group is that of the analysis, with the group's variable replaced by 0.
struct Lanes {
  std::vector<Transfer> loads;  // reads whose elements are contiguous and aligned
  std::vector<Store> elements;  // the stores of one element, in order
  // Numbers from memory that are the same for all elements, read before `loads`; and those that are
  // read for each element.
  std::vector<Define> common_numbers, own_numbers;
  std::optional<Transfer> store;
  std::vector<Expr> conditions;  // launch conditions under which all accesses are aligned
};

// `stores`: the stores of one element, over all loops; just one if the group is stored as one
// access; `numbers`: read from memory for one element. Adds buffers and values to the draft's
// kernel. The vector of the analysis must be legal.
Lanes lanes_of(const Fusion& fusion, const DomainGraph& graph, const TensorAnalysis& analysis,
               std::span<const Store> stores, std::span<const Define> numbers, KernelDraft& draft);

}  // namespace selvage
