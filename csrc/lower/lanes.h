#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/legality/analysis.h>

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
  Store element;
  Transfer store;
  std::vector<Expr> conditions;  // at launch, under which all accesses are aligned
};

// `store`: of one element, over all loops. Buffers and values are added to the kernel; `tensors`
// are those of its buffers. The vector of the analysis must be legal.
Lanes lanes_of(const Fusion& fusion, const DomainGraph& graph, const TensorAnalysis& analysis,
               const Store& store, std::span<const TensorId> tensors, Kernel& kernel);

}  // namespace selvage
