#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/legality/analysis.h>

#include <span>
#include <vector>

namespace selvage {

// How the items of a tensor in global memory lie: the axes of its allocation.
std::vector<Buffer::Axis> axes_of(const Fusion& fusion, const DomainGraph& graph, TensorId tensor,
                                  Simplifier& sizes);

// The item that a nest stores at each point, by the coordinates of the allocation; and who stores
// it, where the tensor's loops follow from its axes: a loop is a function of the item that a point
// visits. Along an axis of the launch that no loop is bound to, index 0 stores.
Item stored_item(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis);

}  // namespace selvage
