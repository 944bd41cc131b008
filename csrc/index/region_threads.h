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

Expr both(Expr a, Expr b);  // a && b, and one of them where the other is true
// Who does alone what all threads would that differ in these indices only: index 0 along each. True
// where there are none.
Expr elected(std::span<const Expr> indices, ExprPool& pool);

// Which threads run something.
struct RegionThreads {
  std::optional<ThreadMask> mask;  // none: dynamic, or other threads in other iterations
  // Where it depends on serial loops of known extents, and nothing else that is known only at run
  // time: these, outer to inner, and each iteration's mask.
  std::vector<MaskIndex> loops = {};
  std::vector<ThreadMask> iterations = {};

  bool is_dynamic() const { return !mask && iterations.empty(); }
  // The loops in an iteration.
  Point iteration_at(std::size_t iteration) const;
  // Known to be nobody, in any iteration.
  bool is_none() const;
};

// Those for which a condition holds inside of loops, outer to inner. Iterations are told apart up
// to kMostIterations of them. Throws what ThreadMask::of does.
inline constexpr std::int64_t kMostIterations = 4096;
RegionThreads region_threads(Expr condition, const ThreadMask::Levels& levels,
                             std::span<const LoopAround> loops, const Facts& known);

}  // namespace selvage
