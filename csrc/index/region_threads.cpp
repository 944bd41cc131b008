#include <selvage/base/integer.h>
#include <selvage/expr/symbols.h>
#include <selvage/index/region_threads.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>

namespace selvage {

namespace {

// The loops that a condition depends on; none if an extent is not known, or if they have too many
// iterations in all.
std::vector<MaskIndex> loops_of(Expr condition, std::span<const LoopAround> loops,
                                const Facts& facts) {
  std::vector<MaskIndex> out;
  std::int64_t n = 1;
  Simplifier known(facts);
  const std::vector<Expr> symbols = symbols_of(condition);
  for (const LoopAround& loop : loops) {
    if (!contains(symbols, loop.index)) continue;
    const Expr extent = known.simplify(loop.extent);
    if (!extent.is(Op::Const) || extent.value() < 1) return {};
    n = checked_mul(n, extent.value()).value_or(INT64_MAX);
    if (n > kMostIterations) return {};
    out.push_back({loop.index, extent.value()});
  }
  return out;
}

}  // namespace

Expr both(Expr a, Expr b) { return a.is_true() ? b : b.is_true() ? a : a && b; }

Expr elected(std::span<const Expr> indices, ExprPool& pool) {
  Expr all = pool.truth(true);
  for (Expr i : indices) all = both(all, eq(i, 0));
  return all;
}

bool RegionThreads::is_none() const {
  if (mask) return mask->is_none();
  return !iterations.empty() && std::all_of(iterations.begin(), iterations.end(),
                                            [](const ThreadMask& m) { return m.is_none(); });
}

Point RegionThreads::iteration_at(std::size_t iteration) const {
  return instance_at(std::vector<MaskLevel>{{loops}}, std::int64_t(iteration));
}

RegionThreads region_threads(Expr condition, const ThreadMask::Levels& levels,
                             std::span<const LoopAround> loops, const Facts& known) {
  RegionThreads out{.mask = ThreadMask::of(condition, levels, known)};
  if (out.mask) return out;
  const std::vector<MaskIndex> around = loops_of(condition, loops, known);
  if (around.empty()) return out;
  for (auto& mask : masks_by_iteration(condition, levels, around, known, kMostIterations)) {
    if (!mask) return {};
    out.iterations.push_back(std::move(*mask));
  }
  out.loops = around;
  return out;
}

}  // namespace selvage
