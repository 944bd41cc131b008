#pragma once

#include <selvage/index/thread_mask.h>

#include <optional>
#include <span>
#include <vector>

namespace selvage {

// for (index = 0; index < extent; ++index)
struct LoopAround {
  Expr index, extent;
};

Expr both(Expr a, Expr b);  // a && b; just one of them if the other is true
// Picks one of the threads that differ in these indices only: each is 0. True if there are none.
Expr elected(std::span<const Expr> indices, ExprPool& pool);

// The threads that run a region.
struct RegionThreads {
  std::optional<ThreadMask> mask;  // none: dynamic, or other threads in other iterations
  // If the mask depends on serial loops of known extents, and on nothing else that is known only at
  // run time: these loops, outer to inner, and the mask of each iteration.
  std::vector<MaskIndex> loops = {};
  std::vector<ThreadMask> iterations = {};

  bool is_dynamic() const { return !mask && iterations.empty(); }
  // The values of `loops` in an iteration.
  Point iteration_at(std::size_t iteration) const;
  // Whether it is known that no thread runs it, in any iteration.
  bool is_none() const;
};

// The threads for which a condition holds inside of loops, outer to inner. Iterations have masks of
// their own if there are at most kMostIterations of them. Throws what ThreadMask::of does.
inline constexpr std::int64_t kMostIterations = 4096;
RegionThreads region_threads(Expr condition, const ThreadMask::Levels& levels,
                             std::span<const LoopAround> loops, const Facts& known);

}  // namespace selvage
