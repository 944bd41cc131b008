#include <selvage/expr/tape.h>
#include <selvage/kernel/statements.h>
#include <selvage/kernel/verify_order.h>

#include <algorithm>

namespace selvage {

std::vector<PlaceId> common_loops(const AccessMap& map, std::size_t a, std::size_t b) {
  const auto& x = map.scope(map.accesses()[a].scope).loops;
  const auto& y = map.scope(map.accesses()[b].scope).loops;
  const auto end = std::mismatch(x.begin(), x.end(), y.begin(), y.end()).first;
  return {x.begin(), end};
}

std::optional<PlaceId> parting_guard(const AccessMap& map, PlaceId x, PlaceId y) {
  std::vector<PlaceId> a, b;
  for (PlaceId id = x; id != kTop; id = map.places()[id].parent) a.push_back(id);
  for (PlaceId id = y; id != kTop; id = map.places()[id].parent) b.push_back(id);
  while (!a.empty() && !b.empty() && a.back() == b.back()) a.pop_back(), b.pop_back();
  if (a.empty() || b.empty()) return std::nullopt;
  const StatementPlace &p = map.places()[a.back()], &q = map.places()[b.back()];
  return p.is_otherwise == q.is_otherwise ? std::nullopt : std::optional(p.parent);
}
bool are_branches(const AccessMap& map, PlaceId x, PlaceId y) {
  return parting_guard(map, x, y).has_value();
}

BarrierOrder::BarrierOrder(const AccessMap& map) : map_(map) {
  for (Among among : {Among::Block, Among::Part, Among::Proxy, Among::Multicast}) {
    pass_[std::size_t(among)].assign(map.places().size(), Pass::Never);
    // Backwards: statements inside another have greater numbers and are computed first.
    for (PlaceId id = PlaceId(map.places().size()); id-- > 0;) {
      pass_[std::size_t(among)][id] = compute(id, among);
    }
  }
}

// A thread that leaves a loop skips all later statements in it.
bool BarrierOrder::may_be_skipped(PlaceId id) const {
  return std::any_of(map_.leaves().begin(), map_.leaves().end(), [&](PlaceId leave) {
    PlaceId around = id;
    while (around != kTop && around != map_.places()[leave].leaves) {
      around = map_.places()[around].parent;
    }
    return leave < id && around != kTop;
  });
}

bool BarrierOrder::are_kept_apart(PlaceId x, PlaceId y, Among among) const {
  if (y < x) std::swap(x, y);
  if (between(x, y, among) != Pass::Always) return false;
  for (PlaceId id = x; id != kTop; id = map_.places()[id].parent) {
    PlaceId around = y;
    while (around != kTop && around != id) around = map_.places()[around].parent;
    if (around == kTop || !map_.places()[id].is_serial_loop()) continue;
    const Pass turn = either(after(y, id, among), before(id, x, among));
    if (turn != Pass::Always) return false;
  }
  return true;
}

bool BarrierOrder::meets_on_the_way(PlaceId x, PlaceId y, PlaceId loop, std::int64_t turns,
                                    Among among) const {
  if (turns < 0 || (turns == 0 && y <= x)) return false;
  if (turns == 0) return between(x, y, among) == Pass::Always;
  if (turns > 1 && meets_in_each_turn(loop, among)) return true;
  return either(after(x, loop, among), before(loop, y, among)) == Pass::Always;
}

BarrierOrder::Pass BarrierOrder::compute(PlaceId id, Among among) {
  const StatementPlace& place = map_.places()[id];
  if (const auto* barrier = std::get_if<Barrier>(&place.statement->node)) {
    return of_barrier(id, *barrier, among);
  }
  if (std::holds_alternative<LastBlock>(place.statement->node)) {
    return is_by_proxy(among) ? Pass::Never : Pass::Always;
  }
  // Barrier objects order some threads; which, is not looked at.
  if (bodies(*place.statement).size() == 0) return Pass::Never;
  return place.condition.valid() ? of_guard(id, among) : of_loop(id, among);
}

BarrierOrder::Pass BarrierOrder::of_barrier(PlaceId id, const Barrier& barrier, Among among) {
  // It orders some; which, is not looked at.
  if (barrier.is_partial()) return Pass::Sometimes;
  if (may_be_skipped(id)) return Pass::Sometimes;
  if (is_by_proxy(among)) {
    const bool is_of_memory = barrier.scope == Barrier::Scope::Block ||
                              (barrier.scope == Barrier::Scope::Rank && among == Among::Proxy);
    const bool counts = is_of_memory && is_behind_a_fence(id);
    return counts ? Pass::Always : Pass::Never;
  }
  if (barrier.scope == Barrier::Scope::Block) return Pass::Always;
  // It orders some of a rank.
  const bool is_cluster = map_.kernel().launch.is_cluster;
  if (is_cluster && barrier.scope == Barrier::Scope::Warp) return Pass::Sometimes;
  has_part_barrier_ = true;
  return among == Among::Part ? Pass::Always : Pass::Never;
}

// With nothing between that a thread does by itself in memory.
bool BarrierOrder::is_behind_a_fence(PlaceId id) const {
  const std::vector<PlaceId>& all = siblings(id);
  for (std::size_t k = map_.places()[id].index; k-- > 0;) {
    const auto& node = map_.places()[all[k]].statement->node;
    if (std::holds_alternative<ProxyFence>(node)) return true;
    const auto* wait = std::get_if<Wait>(&node);
    const bool is_of_object = wait != nullptr && wait->object;
    if (!is_of_object && !std::holds_alternative<Arrive>(node)) return false;
  }
  return false;
}

// On the way from in front of a statement into its body.
BarrierOrder::Pass BarrierOrder::entering(PlaceId id, Among among) const {
  const bool is_met = std::holds_alternative<LastBlock>(map_.places()[id].statement->node);
  return is_met && !is_by_proxy(among) ? Pass::Always : Pass::Never;
}

BarrierOrder::Pass BarrierOrder::of_loop(PlaceId id, Among among) const {
  const StatementPlace& p = map_.places()[id];
  const Pass inside = along(map_.tree()[id].body, among);
  if (!p.is_serial_loop() || inside == Pass::Never) return inside;
  const bool runs =
      inside == Pass::Always && !p.may_run_less && map_.at(p.scope).proves(p.begin < p.extent);
  return runs ? Pass::Always : Pass::Sometimes;
}

BarrierOrder::Pass BarrierOrder::of_guard(PlaceId id, Among among) const {
  const Pass inside = along(map_.tree()[id].body, among);
  const Pass other = along(map_.tree()[id].otherwise, among);
  return inside == other ? inside : Pass::Sometimes;
}

BarrierOrder::Pass BarrierOrder::along(std::span<const PlaceId> statements, Among among) const {
  Pass pass = Pass::Never;
  for (PlaceId id : statements) pass = either(pass, of(id, among));
  return pass;
}

const std::vector<PlaceId>& BarrierOrder::siblings(PlaceId id) const {
  const StatementPlace& p = map_.places()[id];
  if (p.parent == kTop) return map_.tree().body();
  const StatementTree::Node& parent = map_.tree()[p.parent];
  return p.is_otherwise ? parent.otherwise : parent.body;
}

// On the way out of `ancestor`, its other iterations not counted.
BarrierOrder::Pass BarrierOrder::after(PlaceId from, PlaceId ancestor, Among among) const {
  Pass pass = Pass::Never;
  for (PlaceId id = from; id != ancestor; id = map_.places()[id].parent) {
    const auto& all = siblings(id);
    pass = either(pass, along(std::span(all).subspan(map_.places()[id].index + 1), among));
  }
  return pass;
}

BarrierOrder::Pass BarrierOrder::before(PlaceId ancestor, PlaceId to, Among among) const {
  Pass pass = Pass::Never;
  for (PlaceId id = to; id != ancestor; id = map_.places()[id].parent) {
    pass = either(pass, along(std::span(siblings(id)).first(map_.places()[id].index), among));
    if (id != to) pass = either(pass, entering(id, among));
  }
  return pass;
}

// `from` is written before `to`, and both are at the same iteration of the loops around both.
BarrierOrder::Pass BarrierOrder::between(PlaceId from, PlaceId to, Among among) const {
  std::vector<PlaceId> out, in;  // and all around them, innermost first
  for (PlaceId id = from; id != kTop; id = map_.places()[id].parent) out.push_back(id);
  for (PlaceId id = to; id != kTop; id = map_.places()[id].parent) in.push_back(id);
  while (!out.empty() && !in.empty() && out.back() == in.back()) {
    out.pop_back();
    in.pop_back();
  }
  if (out.empty() || in.empty()) return Pass::Never;
  Pass pass = either(after(from, out.back(), among), before(in.back(), to, among));
  if (in.back() != to) pass = either(pass, entering(in.back(), among));
  const StatementPlace &x = map_.places()[out.back()], &y = map_.places()[in.back()];
  if (x.is_otherwise != y.is_otherwise) return pass;
  return either(
      pass,
      along(std::span(siblings(out.back())).subspan(x.index + 1, y.index - x.index - 1), among));
}

std::vector<Meeting> BarrierOrder::meetings(std::size_t a, std::size_t b, Among among) const {
  const PlaceId x = map_.accesses()[a].place, y = map_.accesses()[b].place;
  return meetings({a, x, x}, {b, y, y}, common_loops(map_, a, b), among);
}

std::vector<Meeting> BarrierOrder::meetings(Span one, Span other, const std::vector<PlaceId>& loops,
                                            Among among) const {
  const bool is_swapped = other.begin < one.begin;
  const Span &x = is_swapped ? other : one, &y = is_swapped ? one : other;
  const std::size_t a = x.access, b = y.access;
  std::vector<Meeting> list;
  // A loop around both that is not looked at takes turns with them.
  const bool take_turns = common_loops(map_, a, b).size() > loops.size();
  const Pass here = take_turns || y.begin <= x.end ? Pass::Never : between(x.end, y.begin, among);
  if (here != Pass::Always) {
    list.push_back(
        {.first = a, .second = b, .equal = loops.size(), .is_exact = here == Pass::Never});
  }
  for (std::size_t k = loops.size(); k-- > 0;) {
    const StatementPlace& loop = map_.places()[loops[k]];
    const Pass round = along(map_.tree()[loops[k]].body, among);
    // No barrier in the loop at all: any two iterations.
    if (round == Pass::Never) {
      list[0].equal = k;
      continue;
    }
    const auto add = [&](const Span& first, const Span& second) {
      const Pass pass =
          either(after(first.end, loops[k], among), before(loops[k], second.begin, among));
      if (pass == Pass::Always) return;
      Meeting m{.first = first.access, .second = second.access, .equal = k};
      m.relation = round == Pass::Always ? Meeting::Relation::Next : Meeting::Relation::Later;
      m.is_exact = pass == Pass::Never && round != Pass::Sometimes;
      list.push_back(m);
    };
    add(x, y);
    if (a != b) add(y, x);
    if (!map_.mentions_thread(loop.begin)) continue;
    // Barriers order the k-th iterations, but the variable's values there differ between threads.
    for (Meeting& m : list) {
      m.equal = std::min(m.equal, k);
      m.relation = Meeting::Relation::Free;
      m.is_exact = false;
    }
  }
  // Barriers in a loop that is around one access only, or whose iterations are independent, order
  // some iterations with the other access.
  for (Meeting& m : list) {
    const std::size_t own = m.equal + (m.relation == Meeting::Relation::Free ? 0 : 1);
    for (std::size_t access : {a, b}) {
      const auto& all = map_.scope(map_.accesses()[access].scope).loops;
      for (std::size_t i = own; i < all.size(); ++i) {
        if (along(map_.tree()[all[i]].body, among) != Pass::Never) m.is_exact = false;
      }
    }
  }
  return list;
}

}  // namespace selvage
