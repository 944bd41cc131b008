#pragma once

#include <selvage/index/region_threads.h>
#include <selvage/kernel/kernel.h>

#include <vector>

namespace selvage {

// Who passes a test of a kernel, those around it included.
struct GuardMask {
  const Guard* guard = nullptr;
  Expr condition;                // with those around, over indices of the launch, sizes and loops
  RegionThreads who;             // for whom it holds
  std::vector<Expr> loops = {};  // those of `who`, as the kernel calls them
};

// The masks of all guards, in the order of the kernel: tails, threads that alone write what all
// have computed, elected ones. None where the launch's extents are no numbers, or a mask would be
// too large (ThreadMask::of). Levels are the indices of the launch that have more than one value:
// blocks z y x, then threads z y x.
std::vector<GuardMask> guard_masks(const Kernel& kernel);

}  // namespace selvage
