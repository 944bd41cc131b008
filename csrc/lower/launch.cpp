#include <selvage/base/refuse.h>
#include <selvage/expr/text.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/lower/launch.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

namespace selvage {

namespace {

class Limits {
 public:
  Limits(Simplifier& simplifier, const std::string& kernel)
      : simplifier_(simplifier), kernel_(kernel) {}

  // Adds a check that extent <= most, unless that is proved. Throws Illegal E442 with help() where
  // it never holds.
  void add(Expr extent, std::int64_t most, const std::string& what,
           std::vector<LaunchCheck>& checks, const std::function<std::string()>& help) const {
    const Expr condition = simplifier_.simplify(extent <= most);
    if (condition.is_true()) return;
    const std::string sentence =
        what + " of " + kernel_ + ", " + to_string(simplifier_.simplify(extent)) + ", ";
    if (condition.is_false()) {
      refuse<Illegal>("E442", sentence + "is past the hardware's limit of " + std::to_string(most),
                      help());
    }
    checks.push_back({condition, sentence + "must be at most " + std::to_string(most)});
  }

 private:
  Simplifier& simplifier_;
  const std::string& kernel_;
};

// The type of axis 0, 1 or 2 (x, y or z), given the type of axis x.
ParallelType along(ParallelType x, std::size_t axis) { return ParallelType(int(x) + int(axis)); }

// Help that names the loops bound to p whose extents may exceed `most`. Empty if there are none, as
// a block may have been padded to whole warps.
std::string smaller_loops(const Schedule& schedule, std::span<const TensorAnalysis* const> tensors,
                          ParallelType p, std::int64_t most) {
  std::string loops;
  int found = 0;
  for (const TensorAnalysis* a : tensors) {
    for (DomainId d : a->loops) {
      const Expr extent = schedule.graph()[d].extent;
      if (schedule.parallel(a->tensor, d) != p ||
          (extent.is(Op::Const) && extent.value() <= most)) {
        continue;
      }
      loops += (found++ > 0 ? " and " : "") + schedule.name(a->tensor, d) + " of " +
               schedule.fusion()[a->tensor].name;
    }
  }
  if (found == 0) return {};
  return "split " + loops + " by " + std::to_string(most) + " or less, and bind the inner part" +
         (found > 1 ? "s" : "") + " alone; or leave " + loops + " serial";
}

// The same where the product of a block's extents is too large: help for the largest extent that
// can shrink, to kMaxThreads divided by the product of the others.
std::string fewer_threads(const Schedule& schedule, std::span<const TensorAnalysis* const> tensors,
                          const std::array<Expr, 3>& block) {
  std::array<std::int64_t, 3> extents{1, 1, 1};
  for (std::size_t k = 0; k < 3; ++k) {
    if (block[k].is(Op::Const)) extents[k] = block[k].value();
  }
  std::array<std::size_t, 3> axes{0, 1, 2};
  std::ranges::stable_sort(axes, std::greater(), [&](std::size_t k) { return extents[k]; });
  for (std::size_t k : axes) {
    const std::int64_t others = extents[0] * extents[1] * extents[2] / extents[k];
    const std::string said = smaller_loops(schedule, tensors, along(ParallelType::TIDx, k),
                                           std::max<std::int64_t>(kMaxThreads / others, 1));
    if (!said.empty()) return said;
  }
  return "bind fewer loops to threads";
}

// Pads a block, some of whose tensors fold along x, so that shuffles run in whole warps: with rows
// of 1, 2, 4, ..., 32 threads, y grows until the rows fill warps; other rows become whole warps.
// `z`: threads along z, which count where a block is no cluster.
void whole_warps(std::array<Expr, 3>& block, Expr z, Simplifier& simplifier) {
  const auto padded = [&](Expr n, std::int64_t to) {
    return simplifier.simplify(ceil_div(n, n.pool().constant(to)) * to);
  };
  const Expr x = block[0];
  if (!x.is(Op::Const) || x.value() > kWarp || !std::has_single_bit(std::uint64_t(x.value()))) {
    block[0] = padded(x, kWarp);
  } else if (!simplifier.proves(eq(x * block[1] * z % kWarp, 0))) {
    block[1] = padded(block[1], kWarp / x.value());
  }
}

// The loops that are bound to a type, "c of y".
std::string loops_bound_to(const Schedule& schedule, std::span<const TensorAnalysis* const> tensors,
                           ParallelType type) {
  std::string loops;
  for (const TensorAnalysis* a : tensors) {
    for (DomainId d : a->loops) {
      if (schedule.parallel(a->tensor, d) != type) continue;
      loops += (loops.empty() ? "" : " and ") + schedule.name(a->tensor, d) + " of " +
               schedule.fusion()[a->tensor].name;
    }
  }
  return loops;
}

// Checks a launch some of whose loops are bound to CIDx; returns whether its blocks are clusters.
bool are_clusters(const Schedule& schedule, std::span<const TensorAnalysis* const> tensors,
                  const Launch& launch, const std::string& kernel) {
  const std::string ranks = loops_bound_to(schedule, tensors, ParallelType::CIDx),
                    z = loops_bound_to(schedule, tensors, ParallelType::TIDz);
  if (ranks.empty() || launch.block[2].is_const(1)) return false;
  if (!z.empty()) {
    refuse<Illegal>("E467",
                    "the kernel " + kernel + " counts blocks of a cluster, by " + ranks +
                        ", and threads along z, by " + z + ", and has one number for both",
                    "bind " + z + " to TIDx or TIDy");
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const Expr extent = launch.block[k];
    const bool fits = extent.is(Op::Const) && (k < 2 || extent.value() <= kMaxClusterBlocks);
    if (fits) continue;
    refuse<Illegal>("E467",
                    k == 2 ? "a cluster of " + to_string(extent) + " blocks, by " + ranks +
                                 ", is not of 2 to " + std::to_string(kMaxClusterBlocks)
                           : "how many threads each block of a cluster has, " + to_string(extent) +
                                 " along " + "xy"[k] + ", is no number",
                    k == 2 ? "split by a number of at most " + std::to_string(kMaxClusterBlocks) +
                                 ", and bind the part of that extent to CIDx"
                           : "split by a number what is bound to thread indices");
  }
  return true;
}

}  // namespace

LaunchPlan plan_launch(const Fusion& fusion, const Schedule& schedule,
                       std::span<const TensorAnalysis* const> tensors, const std::string& kernel) {
  const Expr one = fusion.pool().constant(1);
  Simplifier simplifier(*fusion.facts());
  LaunchPlan plan{{{one, one, one}, {one, one, one}, fusion.pool().constant(0)}, {}, {}};
  bool shuffles = false;
  for (const TensorAnalysis* a : tensors) {
    for (DomainId d : a->loops) {
      const ParallelType p = schedule.parallel(a->tensor, d);
      if (!is_index(p)) continue;
      auto& extents = is_block(p) ? plan.launch.grid : plan.launch.block;
      Expr& extent = extents[std::size_t(axis(p))];
      const Expr wanted = schedule.graph()[d].extent;
      extent = simplifier.simplify(extent.is_const(1) ? wanted : max(extent, wanted));
      // Threads that go through positions of rows keep apart from each other.
      const bool meets = schedule.is_folded(a->tensor, d) && !schedule.positions(a->tensor);
      if (p == ParallelType::TIDx && meets) shuffles = true;
    }
  }
  auto& block = plan.launch.block;
  Launch& launch = plan.launch;
  launch.is_cluster = are_clusters(schedule, tensors, launch, kernel);
  const Expr ranks = launch.is_cluster ? block[2] : one;
  if (shuffles || launch.is_cluster) {
    whole_warps(block, launch.is_cluster ? one : block[2], simplifier);
  }
  const Limits limits(simplifier, kernel);
  const auto limit = [&](const std::array<Expr, 3>& extents, const char* whose, ParallelType x,
                         const std::array<std::int64_t, 3>& most,
                         std::vector<LaunchCheck>& checks) {
    for (std::size_t k = 0; k < 3; ++k) {
      limits.add(extents[k], most[k], std::string(whose) + " " + "xyz"[k], checks,
                 [&] { return smaller_loops(schedule, tensors, along(x, k), most[k]); });
    }
  };
  std::array<std::int64_t, 3> most = kMaxGrid;
  if (launch.is_cluster) most[0] /= ranks.value();
  limit(launch.grid, "the grid's", ParallelType::BIDx, most, plan.of_grid);
  limit(block, "the block's", ParallelType::TIDx, kMaxBlock, plan.of_block);
  const std::array<Expr, 3> own = {block[0], block[1], launch.is_cluster ? one : block[2]};
  // Where y and z are 1, the product is the extent of x, which has been limited already.
  const bool is_said = own[1].is_const(1) && own[2].is_const(1);
  if (is_said) return plan;
  limits.add(own[0] * own[1] * own[2], kMaxThreads, "threads in a block", plan.of_block,
             [&] { return fewer_threads(schedule, tensors, own); });
  return plan;
}

LaunchPlan plan_flat_launch(const Fusion& fusion, Expr items, std::int64_t threads,
                            const std::string& kernel) {
  ExprPool& pool = fusion.pool();
  const Expr one = pool.constant(1);
  Simplifier simplifier(*fusion.facts());
  const Expr blocks = simplifier.simplify(ceil_div(items, pool.constant(threads)));
  LaunchPlan plan{
      {{blocks, one, one}, {pool.constant(threads), one, one}, pool.constant(0)}, {}, {}};
  Limits(simplifier, kernel).add(blocks, INT32_MAX, "the grid's x", plan.of_grid, [] {
    return "take fewer items";
  });
  return plan;
}

}  // namespace selvage
