#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/legality/analysis.h>
#include <selvage/lower/program.h>

#include <span>
#include <string>
#include <vector>

namespace selvage {

// The launch of a kernel that computes some tensors: along each axis, the largest extent that one
// of them needs. Each limit of the hardware is proved, or becomes a check on sizes.
struct LaunchPlan {
  Launch launch;
  std::vector<LaunchCheck> of_grid, of_block;
};
// Throws Illegal E442 if no sizes keep within a limit.
LaunchPlan plan_launch(const Fusion& fusion, const Schedule& schedule,
                       std::span<const TensorAnalysis* const> tensors, const std::string& kernel);

// The launch of a kernel with one thread, in blocks of `threads` along x, for each of `items`.
LaunchPlan plan_flat_launch(const Fusion& fusion, Expr items, std::int64_t threads,
                            const std::string& kernel);

}  // namespace selvage
