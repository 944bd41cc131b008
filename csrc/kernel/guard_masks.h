#pragma once

#include <selvage/index/region_threads.h>
#include <selvage/kernel/kernel.h>

#include <vector>

namespace selvage {

// The threads that pass a guard of a kernel and all guards around it.
struct GuardMask {
  const Guard* guard = nullptr;
  Expr condition;                // of all these guards, over launch indices, sizes and loops
  RegionThreads who;             // the threads for which the condition holds
  std::vector<Expr> loops = {};  // the loops of `who`, as the kernel calls them
};

// The masks of all guards, in the order of the kernel: tails, threads that alone write what all
// have computed, elected threads. Empty if the launch's extents are no numbers, or a mask would be
// too large (ThreadMask::of). Levels are the indices of the launch that have more than one value:
// blocks z y x, then threads z y x.
std::vector<GuardMask> guard_masks(const Kernel& kernel);

}  // namespace selvage
