#include <selvage/base/diagnostic.h>
#include <selvage/kernel/guard_masks.h>
#include <selvage/kernel/verify_access.h>

namespace selvage {

namespace {

// Nothing where an extent is no number.
std::optional<ThreadMask::Levels> launch_levels(const AccessMap& map) {
  ThreadMask::Levels levels;
  const auto add = [&](const std::array<Expr, 3>& indices, const std::array<Expr, 3>& extents,
                       bool is_in_block) {
    for (std::size_t k = 3; k-- > 0;) {
      if (!indices[k].is(Op::Symbol)) continue;
      if (!extents[k].is(Op::Const) || extents[k].value() < 1) return false;
      levels.push_back({{{indices[k], extents[k].value()}}, is_in_block});
    }
    return true;
  };
  const Launch& launch = map.kernel().launch;
  if (!add(map.blocks(), launch.grid, false) || !add(map.threads(), launch.block, true)) {
    return std::nullopt;
  }
  return levels;
}

// A map tells loops of one name apart.
Expr name_of(Expr variable, const AccessScope& scope, const AccessMap& map) {
  for (PlaceId loop : scope.loops) {
    const StatementPlace& l = map.places()[loop];
    if (same(l.variable, variable)) return parts_of(*l.statement).variable;
  }
  return variable;
}

}  // namespace

std::vector<GuardMask> guard_masks(const Kernel& kernel) {
  const AccessMap map(kernel);
  const auto levels = launch_levels(map);
  std::vector<GuardMask> out;
  if (!levels || levels->empty()) return out;
  for (const StatementPlace& place : map.places()) {
    const auto* guard = std::get_if<Guard>(&place.statement->node);
    if (guard == nullptr) continue;
    const AccessScope& scope = map.scope(place.scope);
    Expr condition = place.condition;
    for (Expr around : scope.conditions) condition = around && condition;
    Facts facts = map.size_facts();
    std::vector<LoopAround> loops;
    for (PlaceId loop : scope.loops) {
      const StatementPlace& l = map.places()[loop];
      facts.loop(l.variable, l.extent);
      if (!l.begin.valid() || l.begin.is_const(0)) loops.push_back({l.variable, l.extent});
    }
    try {
      RegionThreads who = region_threads(condition, *levels, loops, facts);
      std::vector<Expr> called;
      for (const MaskIndex& loop : who.loops) called.push_back(name_of(loop.symbol, scope, map));
      out.push_back({guard, condition, std::move(who), std::move(called)});
    } catch (const BadInput&) {
      // Too large to be told, or undefined for threads that other tests keep away.
    }
  }
  return out;
}

}  // namespace selvage
