#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/tape.h>
#include <selvage/legality/footprint.h>
#include <selvage/legality/hoist.h>

#include <algorithm>

namespace selvage {

namespace {

// The variables of the loops over which the footprint extends: those inside the first `open`, and
// at the level of a block its thread indices.
std::vector<Expr> running(const Schedule& schedule, const TensorAnalysis& nest, Level level,
                          std::size_t open) {
  std::vector<Expr> inner;
  for (std::size_t i = 0; i < nest.loops.size(); ++i) {
    const ParallelType p = schedule.parallel(nest.tensor, nest.loops[i]);
    const bool runs = is_thread(p) ? level == Level::Block : !is_index(p) && i >= open;
    if (runs) inner.push_back(nest.variables[i]);
  }
  return inner;
}

}  // namespace

std::optional<Box> footprint(const Schedule& schedule, const TensorAnalysis& nest,
                             const Access& access, Level level, std::size_t open) {
  const std::vector<Expr> inner = running(schedule, nest, level, open);
  const std::vector<DomainId>& logical = schedule.fusion()[access.tensor].logical;
  // An end may be that of a hole, or of a point that does not read; then it is not exact.
  std::vector<Expr> tested = access.guard;
  if (access.condition.valid()) tested.push_back(access.condition);
  const std::vector<Expr> symbols = symbols_of(tested);
  const bool is_everywhere =
      access.is_inside() &&
      std::none_of(inner.begin(), inner.end(), [&](Expr v) { return contains(symbols, v); });
  Box box;
  for (std::size_t k = 0; k < access.subscripts.size(); ++k) {
    const Expr index = written_out(access.subscripts[k]);
    const std::vector<Expr> own = symbols_of(std::span(&index, 1));
    if (std::ranges::any_of(access.loaded, [&](Expr n) { return contains(own, n); })) {
      ExprPool& pool = schedule.graph().pool();
      const Expr extent = schedule.graph()[logical[k]].extent;
      box.sides.push_back({pool.constant(0), nest.ranges->simplify(extent - 1), false});
      continue;
    }
    const auto least = extremum(index, inner, *nest.ranges, false);
    const auto most = extremum(index, inner, *nest.ranges, true);
    if (!least || !most) return std::nullopt;
    const Expr extent = schedule.graph()[logical[k]].extent;
    box.sides.push_back(
        {nest.ranges->simplify(max(least->value, schedule.graph().pool().constant(0))),
         nest.ranges->simplify(min(most->value, extent - 1)),
         is_everywhere && least->exact && most->exact});
  }
  return box;
}

}  // namespace selvage
