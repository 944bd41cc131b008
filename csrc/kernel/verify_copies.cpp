#include <selvage/base/integer.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/kernel/ranks.h>
#include <selvage/kernel/statements.h>
#include <selvage/kernel/verify_copies.h>

#include <algorithm>

namespace selvage {

std::optional<AccessEnd> CopyOrder::end_of(std::size_t access) const {
  const KernelAccess& a = map_.accesses()[access];
  if (!a.is_async) return AccessEnd{.at = a.place};
  const auto [known, is_new] = ends_.try_emplace(a.place);
  if (is_new) known->second = end_of_copy(a);
  return known->second;
}

std::optional<AccessEnd> CopyOrder::end_of_copy(const KernelAccess& a) const {
  const StatementTree& tree = map_.tree();
  const Statement& statement = *tree[a.place].statement;
  const std::optional<ThreadQueue> queue = queue_of(statement);
  if (!queue) return end_for_object(a, std::get<AsyncCopy>(statement.node).object->buffer);
  // The innermost body around the copy with a closing and a wait. There may be more of them, there
  // or further inside: a group that is closed earlier, or awaited earlier, has ended no later.
  for (PlaceId inner = a.place;; inner = tree[inner].parent) {
    const PlaceId owner = tree[inner].parent;
    const bool is_otherwise = map_.places()[inner].is_otherwise;
    const std::vector<PlaceId>& body = owner == kTop  ? tree.body()
                                       : is_otherwise ? tree[owner].otherwise
                                                      : tree[owner].body;
    std::optional<PlaceId> wait, closing;
    for (PlaceId id : body) {
      if (wait_for_groups(*tree[id].statement, *queue) != nullptr) wait = id;
      if (closes_group(*tree[id].statement, *queue)) closing = id;
    }
    if (owner == kTop && (!wait || !closing)) return std::nullopt;
    if (!wait || !closing) continue;
    // A thread that leaves this body on the way skips the wait.
    const bool skips = std::ranges::any_of(map_.leaves(), [&](PlaceId leave) {
      return owner != kTop && is_inside(leave, owner) &&
             is_inside(owner, map_.places()[leave].leaves);
    });
    if (skips) return std::nullopt;
    const std::int64_t e = *closing < inner, f = *closing < *wait;
    const std::int64_t pending = wait_for_groups(*tree[*wait].statement, *queue)->pending;
    const std::int64_t turns = pending + 1 + e - f;
    if (turns == 0) return *wait > inner ? std::optional(AccessEnd{*wait}) : std::nullopt;
    if (owner == kTop) return std::nullopt;
    const StatementPlace& loop = map_.places()[owner];
    if (!loop.is_serial_loop() || loop.may_run_less) return std::nullopt;
    if (map_.mentions_thread(loop.begin)) return std::nullopt;
    const Expr last = loop.variable + turns;
    if (!map_.at(a.scope).proves(last < loop.extent)) return std::nullopt;
    const Among all = map_.is_of_own_rank(a.buffer) && map_.kernel().launch.is_cluster
                          ? Among::Part
                          : Among::Block;
    const bool is_followed =
        order_.meets_in_each_turn(owner, all) && map_.at(a.scope).proves(last + 1 < loop.extent);
    return AccessEnd{*wait, owner, turns, is_followed};
  }
}

std::optional<AccessEnd> CopyOrder::end_for_object(const KernelAccess& a, BufferId objects) const {
  const ObjectRing* ring = objects_.of(objects);
  // Those of one rank wait for its copies alone.
  if (ring == nullptr || !map_.is_of_own_rank(a.buffer)) return std::nullopt;
  if (ring->loop == kTop) return AccessEnd{.at = ring->wait, .is_for_all = true};
  const StatementPlace& loop = map_.places()[ring->loop];
  if (!map_.at(a.scope).proves(loop.variable + ring->turns < loop.extent)) return std::nullopt;
  return AccessEnd{ring->wait, ring->loop, ring->turns, true, true};
}

// An index as a number whose digits are the variables of loops, smallest first: it is a sum of
// them, each times more than all smaller ones add up to. kTop: the element of a vector. Of the
// largest one any number of iterations will do.
struct CopyOrder::Digit {
  PlaceId loop;
  std::int64_t step;
  std::optional<std::int64_t> most;  // that it adds
};
// nullopt: it is no such number.
std::optional<std::vector<CopyOrder::Digit>> CopyOrder::digits_of(
    const KernelAccess& a, Expr index, const std::vector<PlaceId>& loops) const {
  std::vector<Digit> digits;
  Simplifier& sizes = map_.with(map_.size_facts());
  const auto add = [&](PlaceId loop, Expr variable, std::optional<std::int64_t> count) {
    const Expr next = substitute(index, {{variable, variable + 1}});
    const Expr step = sizes.simplify(next - index);
    if (!step.is(Op::Const) || step.value() < 0) return false;
    if (step.value() == 0) return true;
    const auto most = count ? checked_mul(step.value(), *count - 1) : std::nullopt;
    digits.push_back({loop, step.value(), most});
    return true;
  };
  if (a.width > 1 && !(a.lane.valid() && add(kTop, a.lane, a.width))) return std::nullopt;
  for (PlaceId id : loops) {
    const StatementPlace& loop = map_.places()[id];
    const bool has_count = loop.extent.is(Op::Const);
    const auto count = has_count ? std::optional(loop.extent.value()) : std::nullopt;
    if (!loop.begin.is_const(0) || !add(id, loop.variable, count)) return std::nullopt;
  }
  std::ranges::sort(digits, {}, &Digit::step);
  std::optional<std::int64_t> below = 0;
  for (const Digit& d : digits) {
    if (!below || d.step <= *below) return std::nullopt;
    below = d.most ? checked_add(*below, *d.most) : std::nullopt;
  }
  return digits;
}

// What an item tells: its indices, and where it lies.
std::vector<Expr> CopyOrder::told_by_item(const KernelAccess& a) {
  std::vector<Expr> told = a.indices;
  told.push_back(a.lane.valid() ? a.address + a.lane : a.address);
  return told;
}

std::vector<PlaceId> CopyOrder::loops_until(PlaceId end, const KernelAccess& a) const {
  std::vector<PlaceId> loops;
  for (PlaceId loop : map_.scope(a.scope).loops) {
    if (!is_inside(end, loop)) loops.push_back(loop);
  }
  return loops;
}

bool CopyOrder::stores_each_once(std::size_t access) const {
  const KernelAccess& a = map_.accesses()[access];
  const auto end = end_of(access);
  if (!end || end->turns > 0) return false;
  const std::vector<PlaceId> loops = loops_until(end->at, a);
  std::vector<PlaceId> open = loops;
  for (Expr index : told_by_item(a)) {
    for (const Digit& d : digits_of(a, index, loops).value_or(std::vector<Digit>())) {
      std::erase(open, d.loop);
    }
  }
  return open.empty();
}

bool CopyOrder::store_items_apart(std::size_t a, std::size_t b) const {
  const KernelAccess &x = map_.accesses()[a], &y = map_.accesses()[b];
  const std::size_t copy = x.is_async ? a : b;
  const auto end = end_of(copy);
  if (!end || end->turns > 0) return false;
  if (x.is_async && y.is_async && (!end_of(b) || end_of(b)->turns > 0 || end_of(b)->at != end->at))
    return false;
  const std::vector<PlaceId> common = common_loops(map_, a, b);
  const auto is_common = [&](PlaceId loop) {
    return std::ranges::find(common, loop) != common.end();
  };
  if (!exclude_each_other(a, b, common.size(), true)) return false;
  const std::vector<PlaceId> of_x = loops_until(end->at, x), of_y = loops_until(end->at, y);
  // The index of the first point of the loops that are not common.
  const auto first = [&](const KernelAccess& of, const std::vector<PlaceId>& loops, Expr index) {
    Environment zeros;
    const Expr zero = map_.pool().constant(0);
    if (of.lane.valid()) zeros.emplace_back(of.lane, zero);
    for (PlaceId loop : loops) {
      if (!is_common(loop)) zeros.emplace_back(map_.places()[loop].variable, zero);
    }
    return substitute(index, zeros);
  };
  // Loops that are not common are the smallest digits.
  const auto tells = [&](const std::vector<Digit>& digits) {
    std::vector<PlaceId> told;
    for (const Digit& d : digits) {
      if (!is_common(d.loop) && !told.empty()) return std::vector<PlaceId>();
      if (is_common(d.loop)) told.push_back(d.loop);
    }
    return told;
  };
  Simplifier& sizes = map_.with(map_.size_facts());
  std::vector<PlaceId> open;
  for (PlaceId loop : common) {
    if (!is_inside(end->at, loop)) open.push_back(loop);
  }
  const std::vector<Expr> by_x = told_by_item(x), by_y = told_by_item(y);
  if (by_x.size() != by_y.size()) return false;
  for (std::size_t k = 0; k < by_x.size(); ++k) {
    const auto own = digits_of(x, by_x[k], of_x), others = digits_of(y, by_y[k], of_y);
    if (!own || !others) continue;
    const Expr far = first(x, of_x, by_x[k]) - first(y, of_y, by_y[k]);
    const std::vector<PlaceId> told = tells(*own);
    if (told == tells(*others) && sizes.simplify(far).is_const(0)) {
      for (PlaceId loop : told) std::erase(open, loop);
    }
  }
  return open.empty();
}

bool CopyOrder::is_by_proxy(std::size_t access) const {
  const KernelAccess& a = map_.accesses()[access];
  if (!a.is_async) return false;
  const auto* copy = std::get_if<AsyncCopy>(&map_.places()[a.place].statement->node);
  return copy == nullptr || copy->is_by_proxy();
}

// The barriers that count in front of an access for one that was made before.
CopyOrder::Among CopyOrder::in_front(std::size_t later, std::size_t earlier, Among among) const {
  const bool passes_proxy = is_by_proxy(later) && !is_by_proxy(earlier);
  if (is_multicast(map_, later)) return passes_proxy ? Among::Multicast : Among::Block;
  return passes_proxy ? Among::Proxy : among;
}

// Whether access b, `turns` iterations of the ring after a, comes after the end of a, whoever makes
// it.
bool CopyOrder::is_ordered(std::size_t a, const AccessEnd& end_of_a, std::size_t b, PlaceId ring,
                           std::int64_t turns, Among among) const {
  const PlaceId of_b = map_.accesses()[b].place;
  // Who makes a copy for all has not waited where it comes to.
  if (end_of_a.is_for_all && !is_multicast(map_, b)) {
    return turns > end_of_a.turns || (turns == end_of_a.turns && end_of_a.at < of_b);
  }
  return order_.meets_on_the_way(end_of_a.at, of_b, ring, turns - end_of_a.turns,
                                 in_front(b, a, among));
}

std::optional<std::vector<Meeting>> CopyOrder::meetings(std::size_t a, std::size_t b,
                                                        Among among) const {
  const auto x = end_of(a), y = end_of(b);
  if (!x || !y) return std::nullopt;
  const PlaceId of_a = map_.accesses()[a].place, of_b = map_.accesses()[b].place;
  const bool a_in_ring = x->loop != kTop && is_inside(of_b, x->loop);
  const bool b_in_ring = y->loop != kTop && is_inside(of_a, y->loop);
  if (a_in_ring && b_in_ring && x->loop != y->loop) return std::nullopt;
  // Which fence stands behind the end of a copy in a queue is not looked at.
  const bool is_mixed = map_.accesses()[a].is_async && map_.accesses()[b].is_async &&
                        is_by_proxy(a) != is_by_proxy(b);
  if (is_mixed && map_.overlap(map_.accesses()[a].buffer, map_.accesses()[b].buffer)) {
    return std::nullopt;
  }
  if (a_in_ring) return in_ring(a, *x, b, *y, x->loop, among);
  if (b_in_ring) return in_ring(a, *x, b, *y, y->loop, among);
  return without_ring(a, *x, b, *y, among);
}

bool CopyOrder::are_of_one_rank(std::size_t a, std::size_t b) const {
  return map_.kernel().launch.is_cluster && !is_multicast(map_, a) && !is_multicast(map_, b) &&
         map_.is_of_own_rank(map_.accesses()[a].buffer) &&
         map_.is_of_own_rank(map_.accesses()[b].buffer);
}

// The loops around both accesses and where they end, outer to inner.
std::vector<PlaceId> CopyOrder::loops_around(std::size_t a, PlaceId end_of_a, std::size_t b,
                                             PlaceId end_of_b) const {
  std::vector<PlaceId> loops = common_loops(map_, a, b);
  std::erase_if(loops, [&](PlaceId loop) {
    return !is_inside(end_of_a, loop) || !is_inside(end_of_b, loop);
  });
  return loops;
}

// Whether a thread may begin access b, `turns` iterations of the ring after a, behind a. The first
// `loops` loops are around both.
bool CopyOrder::begins_before(std::size_t a, std::size_t b, std::int64_t turns,
                              std::size_t loops) const {
  // Loops around both that the ring is around: either may be made first.
  const bool take_turns = common_loops(map_, a, b).size() > loops;
  return turns > 0 ||
         (turns == 0 && (take_turns || map_.accesses()[a].place < map_.accesses()[b].place));
}

// Whether a thread may make access b, `turns` iterations of the ring after a, while a, which it has
// begun before, has not ended.
bool CopyOrder::is_in_flight(std::size_t a, const AccessEnd& end_of_a, std::size_t b,
                             std::int64_t turns, std::size_t loops) const {
  if (!map_.accesses()[a].is_async) return false;
  const bool has_ended =
      end_of_a.turns < turns || (end_of_a.turns == turns && end_of_a.at < map_.accesses()[b].place);
  return begins_before(a, b, turns, loops) && !has_ended;
}

// Whether b is a copy of an object that the thread begins behind a, where a fence is needed.
bool CopyOrder::lacks_fence(std::size_t a, std::size_t b, std::int64_t turns,
                            std::size_t loops) const {
  return BarrierOrder::is_by_proxy(in_front(b, a, Among::Block)) &&
         begins_before(a, b, turns, loops);
}

// Whether two accesses stand in the two branches of a guard that, at the same iterations of the
// first `loops` loops, either all threads of the block (or one thread) pass or none.
bool CopyOrder::exclude_each_other(std::size_t a, std::size_t b, std::size_t loops,
                                   bool are_of_one_thread) const {
  const auto guard = parting_guard(map_, map_.accesses()[a].place, map_.accesses()[b].place);
  if (!guard) return false;
  const Expr condition = map_.places()[*guard].condition;
  const auto& own = map_.scope(map_.accesses()[a].scope).loops;
  return std::ranges::all_of(symbols_of(condition), [&](Expr s) {
    if (map_.is_thread(s)) return are_of_one_thread;
    const bool is_same_loop =
        std::ranges::any_of(own.begin(), own.begin() + std::ptrdiff_t(std::min(loops, own.size())),
                            [&](PlaceId loop) { return same(map_.places()[loop].variable, s); });
    return is_same_loop || map_.is_block(s) || map_.is_size(s);
  });
}

std::optional<std::vector<Meeting>> CopyOrder::in_ring(std::size_t a, const AccessEnd& end_of_a,
                                                       std::size_t b, const AccessEnd& end_of_b,
                                                       PlaceId ring, Among among) const {
  if (!order_.meets_in_each_turn(ring, among) ||
      !order_.meets_in_each_turn(ring, in_front(b, a, among)) ||
      !order_.meets_in_each_turn(ring, in_front(a, b, among))) {
    return std::nullopt;
  }
  const PlaceId of_a = map_.accesses()[a].place, of_b = map_.accesses()[b].place;
  std::vector<PlaceId> loops = loops_around(a, end_of_a.at, b, end_of_b.at);
  const auto at = std::size_t(std::ranges::find(loops, ring) - loops.begin());
  const auto& own_loops = map_.scope(map_.accesses()[a].scope).loops;
  std::vector<Meeting> list;
  // In the same iteration of all loops around the ring: b `turns` iterations after a.
  for (std::int64_t turns = a == b ? 0 : -end_of_b.turns - 1; turns <= end_of_a.turns + 1;
       ++turns) {
    Meeting m{.first = a,
              .second = b,
              .equal = at,
              .relation = Meeting::Relation::Next,
              .distance = turns,
              .is_exact = false};
    // In one iteration of the ring, a loop around both takes turns with them.
    const bool take_turns = turns == 0 && common_loops(map_, a, b).size() > at + 1;
    const bool has_order = !take_turns && (is_ordered(a, end_of_a, b, ring, turns, among) ||
                                           is_ordered(b, end_of_b, a, ring, -turns, among));
    const bool is_same_turn = turns == 0 && a != b;
    if (!has_order && !(is_same_turn && exclude_each_other(a, b, at + 1, false))) {
      list.push_back(m);
    }
    if (among == Among::Part && !are_of_one_rank(a, b)) continue;
    if (is_same_turn && exclude_each_other(a, b, at + 1, true)) continue;
    m.where = Meeting::Where::Thread;
    if (a == b && turns == 0) {
      // Two of the copies that one thread begins in one iteration.
      for (std::size_t k = at + 1; k < own_loops.size(); ++k) {
        list.push_back({.first = a,
                        .second = a,
                        .equal = k,
                        .relation = Meeting::Relation::Later,
                        .where = Meeting::Where::Thread,
                        .is_exact = false});
      }
    } else if (is_in_flight(a, end_of_a, b, turns, at + 1) ||
               is_in_flight(b, end_of_b, a, -turns, at + 1) ||
               (!has_order &&
                (lacks_fence(a, b, turns, at + 1) || lacks_fence(b, a, -turns, at + 1)))) {
      list.push_back(m);
    }
  }
  // In different iterations of a loop around the ring.
  loops.resize(at);
  for (const Meeting& m : outside_of_rings({a, of_a, end_of_a.at}, end_of_a, {b, of_b, end_of_b.at},
                                           end_of_b, loops, among)) {
    if (m.relation != Meeting::Relation::Free || m.equal != at) list.push_back(m);
  }
  return list;
}

// Those of different iterations of the loops around rings, or in one of them and outside of it.
std::vector<Meeting> CopyOrder::outside_of_rings(
    const BarrierOrder::Span& a, const AccessEnd& end_of_a, const BarrierOrder::Span& b,
    const AccessEnd& end_of_b, const std::vector<PlaceId>& loops, Among among) const {
  const Among fronts[] = {in_front(a.access, b.access, among), in_front(b.access, a.access, among)};
  const auto by_proxy = std::ranges::find_if(fronts, BarrierOrder::is_by_proxy);
  const bool passes_proxy = by_proxy != std::end(fronts);
  const Among front = passes_proxy                                   ? *by_proxy
                      : std::ranges::count(fronts, Among::Block) > 0 ? Among::Block
                                                                     : among;
  std::vector<Meeting> list = order_.meetings(a, b, loops, front);
  if (passes_proxy) {
    // No fence is asked for behind the end of a copy.
    const std::vector<Meeting> weaker = order_.meetings(a, b, loops, among);
    std::erase_if(list, [&](const Meeting& m) {
      return m.relation != Meeting::Relation::Free && is_by_proxy(m.first) &&
             std::ranges::find(weaker, m) == weaker.end();
    });
  }
  // What comes behind the ring comes behind a barrier of its last iteration.
  std::erase_if(list, [&](const Meeting& m) {
    if (is_multicast(map_, m.second)) return false;
    return m.first == a.access ? end_of_a.is_followed : end_of_b.is_followed;
  });
  for (Meeting& m : list) m.is_exact = false;
  return list;
}

std::vector<Meeting> CopyOrder::without_ring(std::size_t a, const AccessEnd& end_of_a,
                                             std::size_t b, const AccessEnd& end_of_b,
                                             Among among) const {
  const PlaceId of_a = map_.accesses()[a].place, of_b = map_.accesses()[b].place;
  const std::vector<PlaceId> loops = loops_around(a, end_of_a.at, b, end_of_b.at);
  std::vector<Meeting> list = outside_of_rings({a, of_a, end_of_a.at}, end_of_a,
                                               {b, of_b, end_of_b.at}, end_of_b, loops, among);
  // What all wait for, once, comes before all that stands behind the wait.
  const auto is_over = [&](const AccessEnd& end, std::size_t then) {
    return end.is_for_all && end.loop == kTop && end.at < map_.accesses()[then].place &&
           !is_multicast(map_, then);
  };
  if (is_over(end_of_a, b) || is_over(end_of_b, a)) list.clear();
  if (among == Among::Part && !are_of_one_rank(a, b)) return list;
  Meeting own{.first = a,
              .second = b,
              .equal = loops.size(),
              .where = Meeting::Where::Thread,
              .is_exact = false};
  const auto& own_loops = map_.scope(map_.accesses()[a].scope).loops;
  if (a == b) {
    own.relation = Meeting::Relation::Later;
    for (own.equal = loops.size(); own.equal < own_loops.size(); ++own.equal) list.push_back(own);
    return list;
  }
  const auto may_meet = [&](std::size_t x, const AccessEnd& end, std::size_t y) {
    // What a copy in another ring does has ended before the ring does.
    if (end.loop == kTop && is_in_flight(x, end, y, 0, loops.size())) return true;
    // A barrier that is missing behind y, before x, is no fence that is missing between them.
    const bool may_be_first = std::ranges::any_of(list, [&](const Meeting& m) {
      return m.relation == Meeting::Relation::Free || m.first == x;
    });
    return may_be_first && lacks_fence(x, y, 0, loops.size());
  };
  if (exclude_each_other(a, b, loops.size(), true)) return list;
  if (may_meet(a, end_of_a, b) || may_meet(b, end_of_b, a)) list.push_back(own);
  return list;
}

}  // namespace selvage
