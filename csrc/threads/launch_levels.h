#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/threads/levels.h>

#include <vector>

namespace selvage {

// The indices of a program's levels as functions of the block and thread indices of a launch.
//
// If a program has one chain of levels, with at most three indices in the block (in the grid), each
// of these is one index of the launch, the last one x. Otherwise the launch is flat, and each index
// is a quotient and remainder of x. Indices of devices are sizes: each device runs the kernel by
// itself.
struct LaunchLevels {
  Facts facts;  // the program's, and ranges of all indices
  Launch launch = {};
  std::vector<Loop> loops = {};      // bound to the launch, outer to inner, with empty bodies
  std::vector<Define> indices = {};  // the indices, inside of all these loops
  std::vector<Expr> devices = {};    // the sizes that are indices of devices
  Expr number = {};                  // of a thread among all, as a mask numbers them
  std::int64_t threads = 1;          // on all devices together

  Body around(Body body) const;
};
LaunchLevels launch_levels(const ThreadProgram& program, const LevelTree& tree);

}  // namespace selvage
