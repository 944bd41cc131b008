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

struct NestRequest {
  const Fusion& fusion;
  const Schedule& schedule;
  const TensorAnalysis& analysis;
  std::span<const TensorId> tensors;  // of the kernel's buffers
  bool is_vectorised = true;          // false: a loop bound to Vectorize is run element by element
  bool draws_out_checks = true;
  bool checks_everything = false;
};

// The loop nest that stores one tensor, appended to kernel.body; what comes back are conditions at
// launch under which it may run. kernel.launch is settled already: where it is wider than the
// tensor's own extent, or the tensor leaves an axis that is used unbound, the nest is under a mask.
// Every expression that the nest computes is appended to `computed`.
//
// Checks are drawn out of a loop bound to Unswitch or Unroll, or else, in a kernel of many threads,
// out of all loops that a thread runs: where all points inside are valid none is tested again. A
// vector is stored as one where all of its elements are valid, and element by element elsewhere;
// the loop around it is split in two, if that tells them apart.
std::vector<Expr> append_nest(const NestRequest& request, BufferId target, ValueId value,
                              Kernel& kernel, std::vector<Expr>& computed);

}  // namespace selvage
