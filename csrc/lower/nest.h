#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/legality/analysis.h>

#include <span>

namespace selvage {

// What one tensor of a kernel asks of its launch: an extent per block and thread axis, invalid
// where the tensor binds none of its loops to it.
struct LaunchDemand {
  Expr grid[3], block[3];
};
LaunchDemand launch_demand(const Schedule& schedule, const TensorAnalysis& analysis);

// The loop nest that stores one tensor, appended to kernel.body. kernel.launch is settled already:
// where it is wider than the tensor's own extent, or the tensor leaves an axis that is used
// unbound, the nest is under a mask. Every expression that the nest computes is appended to
// `computed`.
void append_nest(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
                 BufferId target, ValueId value, Kernel& kernel, std::vector<Expr>& computed);

}  // namespace selvage
