#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/legality/analysis.h>
#include <selvage/lower/spread.h>

#include <array>
#include <span>
#include <vector>

namespace selvage {

// The axes of the allocation of a tensor in global memory, for Buffer::axes.
std::vector<Buffer::Axis> axes_of(const Fusion& fusion, const DomainGraph& graph, TensorId tensor,
                                  Simplifier& sizes);

// The index of the thread along each axis of the launch that is at these indices of `from`: each
// loop bound to the axis is a function of them, and each one that its threads share. Along any
// other axis, index 0. Null where `from` does not determine a loop.
std::array<Expr, 6> owner_of(const Schedule& schedule, const TensorAnalysis& analysis,
                             const std::vector<DomainId>& from, const std::vector<Expr>& indices,
                             std::span<const SpreadLoop> spread = {});

// The item that a nest stores at each point: the coordinates of its allocation. Item::owner is
// known if the tensor's axes determine its loops.
Item stored_item(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
                 std::span<const SpreadLoop> spread = {});

}  // namespace selvage
