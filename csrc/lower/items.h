#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/legality/analysis.h>

#include <span>
#include <vector>

namespace selvage {

// The axes of the allocation of a tensor in global memory, for Buffer::axes.
std::vector<Buffer::Axis> axes_of(const Fusion& fusion, const DomainGraph& graph, TensorId tensor,
                                  Simplifier& sizes);

// The item that a nest stores at each point: the coordinates of its allocation. Item::owner is
// known if the tensor's axes determine its loops, so that each loop is a function of the item that
// a point visits. Along an axis of the launch that no loop is bound to, index 0 stores.
Item stored_item(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis);

}  // namespace selvage
