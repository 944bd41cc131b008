#include <selvage/base/points.h>
#include <selvage/expr/symbols.h>
#include <selvage/legality/analysis.h>
#include <selvage/legality/unswitch.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::int64_t kMostCounted = 1 << 20;

// How often the condition holds over all values of `outside`; variables that it does not mention
// count as a factor.
std::optional<Share> share_of(Expr condition, const std::vector<Expr>& outside,
                              const std::vector<Expr>& extents) {
  const std::vector<Expr> mentioned = symbols_of(condition);
  std::vector<Expr> variables;
  std::vector<std::int64_t> bounds;
  std::int64_t factor = 1, points = 1;
  for (std::size_t i = 0; i < outside.size(); ++i) {
    if (!extents[i].is(Op::Const)) return std::nullopt;
    const bool matters = contains(mentioned, outside[i]);
    const auto product = checked_mul(matters ? points : factor, extents[i].value());
    if (!product) return std::nullopt;
    (matters ? points : factor) = *product;
    if (!matters) continue;
    variables.push_back(outside[i]);
    bounds.push_back(extents[i].value());
  }
  const auto all = checked_mul(points, factor);
  if (!all || points > kMostCounted || variables.size() < mentioned.size()) return std::nullopt;
  Tape tape(std::span(&condition, 1), variables);
  std::int64_t taken = 0;
  const bool is_done = for_each_point(bounds, [&](const auto& at) {
    if (!tape.evaluate(at)) return false;
    taken += tape.root(0) != 0;
    return true;
  });
  return is_done ? std::optional(Share{taken * factor, *all}) : std::nullopt;
}

// Draws the checks out of the loops that are not `outside`.
std::pair<Hoisted, std::optional<Share>> draw_out(const Schedule& schedule,
                                                  const TensorAnalysis& analysis,
                                                  const std::vector<bool>& is_outside) {
  std::vector<Expr> inner, outside, extents;
  for (std::size_t i = 0; i < analysis.loops.size(); ++i) {
    if (!is_outside[i]) {
      inner.push_back(analysis.variables[i]);
      continue;
    }
    outside.push_back(analysis.variables[i]);
    extents.push_back(schedule.graph()[analysis.loops[i]].extent);
  }
  const Hoisted hoisted = hoist(guard_of(analysis), inner, *analysis.ranges);
  return {hoisted, share_of(hoisted.condition, outside, extents)};
}

}  // namespace

Expr guard_of(const TensorAnalysis& analysis) {
  Expr guard = analysis.address.pool().truth(true);
  for (const KeptPredicate& kept : analysis.predicates.kept) {
    guard = guard.is_true() ? kept.condition : guard && kept.condition;
  }
  return guard;
}

std::optional<Unswitched> unswitched(const Schedule& schedule, const TensorAnalysis& analysis) {
  const auto parallel = [&](DomainId d) { return schedule.parallel(analysis.tensor, d); };
  const auto at = std::find_if(analysis.loops.begin(), analysis.loops.end(),
                               [&](DomainId d) { return parallel(d) == ParallelType::Unswitch; });
  if (at == analysis.loops.end()) return std::nullopt;
  std::vector<bool> is_outside;
  for (auto it = analysis.loops.begin(); it != analysis.loops.end(); ++it) {
    is_outside.push_back(it < at || is_index(parallel(*it)));
  }
  const auto [hoisted, share] = draw_out(schedule, analysis, is_outside);
  return Unswitched{*at, hoisted, share};
}

std::optional<Interior> interior(const Schedule& schedule, const TensorAnalysis& analysis) {
  std::vector<bool> is_outside;
  for (DomainId d : analysis.loops) {
    is_outside.push_back(is_block(schedule.parallel(analysis.tensor, d)));
  }
  const bool has_blocks = std::find(is_outside.begin(), is_outside.end(), true) != is_outside.end();
  if (!has_blocks || analysis.predicates.kept.empty()) return std::nullopt;
  const auto [hoisted, share] = draw_out(schedule, analysis, is_outside);
  return Interior{hoisted, share};
}

}  // namespace selvage
