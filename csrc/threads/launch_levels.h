#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/threads/levels.h>

#include <vector>

namespace selvage {

// How the indices of a program's levels follow from the indices of blocks and threads of a launch.
//
// Where one chain of levels is all there is, and its indices in the block (in the grid) are three
// at most, each is one index of the launch, the last x. Else the launch is flat and each is a
// quotient and a remainder of x. Devices are sizes: each runs the kernel by itself.
struct LaunchLevels {
  Facts facts;  // ranges of all indices, on top of the program's
  Launch launch = {};
  std::vector<Loop> loops = {};      // bound, outer to inner; their bodies are empty
  std::vector<Define> indices = {};  // inside of all of them
  std::vector<Expr> devices = {};    // sizes
  Expr number = {};                  // of a thread among all, as a mask numbers them
  std::int64_t threads = 1;          // how many there are, on all devices

  Body around(Body body) const;
};
LaunchLevels launch_levels(const ThreadProgram& program, const LevelTree& tree);

}  // namespace selvage
