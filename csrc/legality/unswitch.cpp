#include <selvage/base/points.h>
#include <selvage/expr/conjuncts.h>
#include <selvage/expr/symbols.h>
#include <selvage/legality/analysis.h>
#include <selvage/legality/unswitch.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::int64_t kMostCounted = 1 << 20;

// Conditions that are to be counted together, and the variables that they mention.
struct Counted {
  std::vector<Expr> conditions, variables;
};

std::vector<Counted> counted_apart(Expr condition) {
  std::vector<Counted> groups;
  for (Expr conjunct : conjuncts_of(condition)) {
    Counted own{{conjunct}, symbols_of(conjunct)};
    std::erase_if(groups, [&](const Counted& other) {
      const auto is_own = [&](Expr v) { return contains(own.variables, v); };
      if (std::ranges::none_of(other.variables, is_own)) return false;
      own.conditions.insert(own.conditions.end(), other.conditions.begin(), other.conditions.end());
      for (Expr v : other.variables) {
        if (!is_own(v)) own.variables.push_back(v);
      }
      return true;
    });
    groups.push_back(std::move(own));
  }
  return groups;
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

std::optional<Share> share_of(Expr condition, std::span<const Expr> variables,
                              std::span<const Expr> extents) {
  Share all{1, 1};
  const auto multiply = [](std::int64_t& product, std::int64_t by) {
    const auto more = checked_mul(product, by);
    if (more) product = *more;
    return more.has_value();
  };
  std::vector<Expr> counted;
  for (const Counted& group : counted_apart(condition)) {
    std::vector<std::int64_t> bounds;
    std::int64_t points = 1, taken = 0;
    for (Expr v : group.variables) {
      const auto at = std::ranges::find_if(variables, [&](Expr own) { return same(own, v); });
      if (at == variables.end()) return std::nullopt;
      const Expr extent = extents[std::size_t(at - variables.begin())];
      if (!extent.is(Op::Const) || !multiply(points, extent.value())) return std::nullopt;
      bounds.push_back(extent.value());
      counted.push_back(v);
    }
    if (points > kMostCounted) return std::nullopt;
    Tape tape(group.conditions, group.variables);
    const bool is_done = for_each_point(bounds, [&](const auto& at) {
      if (!tape.evaluate(at)) return false;
      bool holds = true;
      for (std::size_t k = 0; k < group.conditions.size(); ++k) holds = holds && tape.root(k) != 0;
      taken += holds;
      return true;
    });
    if (!is_done || !multiply(all.of, points) || !multiply(all.taken, taken)) return std::nullopt;
  }
  for (std::size_t k = 0; k < variables.size(); ++k) {
    if (contains(counted, variables[k])) continue;
    if (!extents[k].is(Op::Const) || !multiply(all.of, extents[k].value()) ||
        !multiply(all.taken, extents[k].value())) {
      return std::nullopt;
    }
  }
  return all;
}

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
