#include <selvage/expr/conjuncts.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/tape.h>
#include <selvage/kernel/ranks.h>
#include <selvage/kernel/statements.h>
#include <selvage/kernel/verify_objects.h>
#include <selvage/kernel/verify_points.h>

#include <algorithm>

namespace selvage {

// All that a kernel does with the objects of one buffer, if it is no more than that: accesses.
struct ObjectRings::Uses {
  std::size_t arrive = 0, wait = 0;
  std::vector<std::size_t> copies;
  PlaceId loop = kTop;  // around all, the innermost around the wait
};

const ObjectRing* ObjectRings::of(BufferId objects) const {
  const auto [known, is_new] = known_.try_emplace(objects);
  if (is_new) known->second = find(objects);
  return known->second ? &*known->second : nullptr;
}

std::optional<ObjectRings::Uses> ObjectRings::uses_of(BufferId objects) const {
  const auto& all = map_.accesses();
  std::optional<std::size_t> arrive, wait;
  Uses uses;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].buffer != objects) continue;
    const auto& node = map_.places()[all[i].place].statement->node;
    if (const auto* copy = std::get_if<AsyncCopy>(&node)) {
      if (!copy->announces) return std::nullopt;
      uses.copies.push_back(i);
    } else if (const auto* own = std::get_if<Arrive>(&node)) {
      if (arrive || own->bytes.valid() || own->of_copies) return std::nullopt;
      arrive = i;
    } else if (std::holds_alternative<Wait>(node)) {
      if (wait) return std::nullopt;
      wait = i;
    } else {
      return std::nullopt;
    }
  }
  if (!arrive || !wait) return std::nullopt;
  uses.arrive = *arrive;
  uses.wait = *wait;
  const auto runs_once = [&](PlaceId id) {
    const StatementPlace& place = map_.places()[id];
    return std::holds_alternative<Loop>(place.statement->node) && !place.is_serial_loop();
  };
  uses.loop = map_.places()[all[*wait].place].parent;
  while (uses.loop != kTop && runs_once(uses.loop)) uses.loop = map_.places()[uses.loop].parent;
  return uses;
}

std::vector<Expr> ObjectRings::conditions_inside(std::size_t access, PlaceId loop) const {
  const auto& all = map_.scope(map_.accesses()[access].scope).conditions;
  const std::size_t outer = map_.scope(map_.places()[loop].scope).conditions.size();
  std::vector<Expr> parts;
  for (std::size_t k = outer; k < all.size(); ++k) {
    for (Expr part : conjuncts_of(all[k])) parts.push_back(part);
  }
  return parts;
}

// Whether a condition that holds in one iteration of a loop held in all before it.
bool ObjectRings::holds_first(PlaceId id, Expr condition) const {
  const StatementPlace& loop = map_.places()[id];
  const Expr k = loop.variable;
  Facts facts = map_.facts(loop.scope);
  facts.bound(k, loop.begin, loop.extent - 2);
  const Expr then = Simplifier(facts).simplify(substitute(condition, {{k, k + 1}}));
  if (then.is_false()) return true;
  facts.assume(then);
  return Simplifier(facts).proves(condition);
}

// How many threads of a block, or rank, these conditions on thread indices let through; nullopt:
// they depend on more.
std::optional<std::int64_t> ObjectRings::arriving_threads(std::span<const Expr> conditions) const {
  const auto extents = map_.block_extents();
  if (!extents) return std::nullopt;
  ExprPool& pool = map_.pool();
  std::vector<PointAxis> threads;
  std::vector<Expr> symbols;
  for (std::size_t k = 3; k-- > 0;) {
    const Expr t = map_.threads()[k];
    if (!t.is(Op::Symbol)) continue;
    threads.push_back({t, pool.constant(0), pool.constant((*extents)[k])});
    symbols.push_back(t);
  }
  for (Expr c : conditions) {
    if (!uses_only(c, symbols)) return std::nullopt;
  }
  const Expr one = pool.constant(1);
  const std::int64_t ranks = map_.kernel().launch.ranks();
  std::int64_t work = std::int64_t{1} << 20;
  std::optional<std::int64_t> of_each;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    // Each arrives at an object of its own.
    if (ranks > 1) threads[0] = {map_.threads()[2], pool.constant(rank), pool.constant(rank + 1)};
    Slots slots;
    PointWalk walk(threads, conditions, {&one, 1}, slots);
    std::int64_t count = 0;
    const auto end = walk.run(work, [&] { return ++count, true; });
    if (end != PointWalk::End::Done || (of_each && *of_each != count)) return std::nullopt;
    of_each = count;
  }
  return of_each;
}

BarrierOrder::Among ObjectRings::among_all(const Uses& uses) const {
  using Among = BarrierOrder::Among;
  const bool is_of_rank =
      map_.kernel().launch.is_cluster &&
      std::ranges::none_of(uses.copies, [&](std::size_t i) { return is_multicast(map_, i); });
  return is_of_rank ? Among::Part : Among::Block;
}

Expr ObjectRings::number(std::size_t access) const { return *in_own_piece(map_, access); }

// Whether the wait of iteration k + turns is for the phase that iteration k arrives in, and the
// first waits are for what the run before has arrived in, or for phase -1. `before`: the iterations
// that arrived in runs before.
bool ObjectRings::follows(const Uses& uses, std::int64_t turns, Expr before, Expr stages) const {
  const KernelAccess& wait = map_.accesses()[uses.wait];
  const Expr k = map_.places()[uses.loop].variable, phase = map_.places()[wait.place].amount;
  const Expr waited = number(uses.wait), later = before + k + (stages - turns);
  // What is proved where one thread arrives is to hold for all that wait.
  if (map_.mentions_thread(waited) || map_.mentions_thread(phase)) return false;
  Simplifier& at_wait = map_.at(wait.scope);
  return at_wait.proves(eq(waited, later % stages)) &&
         at_wait.proves(eq(phase, later / stages - 1));
}

// How often the ring has run before, in iterations of loops around it; nullopt: not in order.
std::optional<Expr> ObjectRings::runs_before(const Uses& uses) const {
  const AccessScope& scope = map_.scope(map_.places()[uses.loop].scope);
  Expr runs = map_.pool().constant(0);
  for (PlaceId id : scope.loops) {
    const StatementPlace& loop = map_.places()[id];
    const bool is_counted = loop.is_serial_loop() && !loop.may_run_less && !loop.is_left &&
                            loop.begin.is_const(0) && !map_.mentions_thread(loop.extent);
    if (!is_counted) return std::nullopt;
    for (PlaceId outer : scope.loops) {
      if (mentions(loop.extent, map_.places()[outer].variable)) return std::nullopt;
    }
    runs = runs * loop.extent + loop.variable;
  }
  // A condition leaves out the last runs of a loop, or none.
  for (Expr c : scope.conditions) {
    for (PlaceId id : scope.loops) {
      if (!mentions(c, map_.places()[id].variable)) continue;
      if (scope.loops.size() > 1 || map_.mentions_number(c) || !holds_first(id, c)) return {};
    }
  }
  return runs;
}

// Whether conditions hold together in so many first iterations of a loop, and in no others.
bool ObjectRings::holds_in_first(PlaceId id, std::span<const Expr> conditions, Expr count) const {
  const StatementPlace& loop = map_.places()[id];
  const Expr k = loop.variable;
  const auto known = [&](Expr condition) {
    Facts facts = map_.facts(loop.scope);
    facts.bound(k, loop.begin, loop.extent - 1);
    facts.assume(condition);
    return Simplifier(std::move(facts));
  };
  Simplifier before = known(k < count), from = known(count <= k);
  const bool holds = std::ranges::all_of(conditions, [&](Expr c) { return before.proves(c); });
  return holds && (before.proves(loop.extent <= count) ||
                   std::ranges::any_of(conditions, [&](Expr c) { return from.proves(!c); }));
}

// Whether whoever begins a copy arrives at its object behind it.
bool ObjectRings::arrives_behind(std::size_t copy, const Uses& uses, Expr object,
                                 std::span<const Expr> conditions) const {
  const KernelAccess &a = map_.accesses()[copy], &arrive = map_.accesses()[uses.arrive];
  Simplifier& at_copy = map_.at(a.scope);
  return a.place < arrive.place && !are_branches(map_, a.place, arrive.place) &&
         at_copy.proves(eq(number(copy), object)) &&
         std::ranges::all_of(conditions, [&](Expr c) { return at_copy.proves(c); });
}

std::optional<ObjectRing> ObjectRings::find_once(const Uses& uses, const Buffer& objects) const {
  const KernelAccess &arrive = map_.accesses()[uses.arrive], &wait = map_.accesses()[uses.wait];
  const AccessScope &at_arrival = map_.scope(arrive.scope), &at_wait = map_.scope(wait.scope);
  if (!at_arrival.loops.empty() || at_arrival.last_block || at_wait.last_block) return {};
  if (wait.place < arrive.place || are_branches(map_, arrive.place, wait.place)) return {};
  const Expr first = map_.pool().constant(0);
  const auto is_first = [&](Expr e) { return same(map_.at(wait.scope).simplify(e), first); };
  if (!is_first(number(uses.wait)) || !is_first(map_.places()[wait.place].amount))
    return std::nullopt;
  for (Expr c : at_wait.conditions) {
    if (map_.mentions_thread(c) || map_.mentions_number(c)) return std::nullopt;
  }
  std::vector<Expr> all, of_thread;
  for (Expr c : at_arrival.conditions) {
    for (Expr part : conjuncts_of(c)) {
      all.push_back(part);
      if (map_.mentions_thread(part)) {
        of_thread.push_back(part);
      } else if (map_.mentions_number(part) || !map_.at(wait.scope).proves(part)) {
        return std::nullopt;
      }
    }
  }
  if (arriving_threads(of_thread) != objects.arrivals || !is_first(number(uses.arrive))) return {};
  const bool announces = std::ranges::all_of(
      uses.copies, [&](std::size_t copy) { return arrives_behind(copy, uses, first, all); });
  return announces ? std::optional(ObjectRing{kTop, wait.place, 0}) : std::nullopt;
}

std::optional<ObjectRing> ObjectRings::find(BufferId objects) const {
  const Buffer& buffer = map_.kernel().buffers[objects];
  const auto uses = uses_of(objects);
  if (!uses || !buffer.arrivals || !buffer.elements.is(Op::Const)) return std::nullopt;
  if (!map_.is_of_own_rank(objects)) return std::nullopt;
  if (!map_.lies_alone(objects)) return std::nullopt;
  const std::int64_t stages = buffer.piece(map_.kernel().launch.ranks());
  const Expr s = map_.pool().constant(stages);
  const KernelAccess& arrive = map_.accesses()[uses->arrive];
  const PlaceId waits_at = map_.accesses()[uses->wait].place;
  if (map_.scope(map_.accesses()[uses->wait].scope).loops.empty()) return find_once(*uses, buffer);
  // All threads are in the loop together, once, and in each iteration at a barrier.
  if (uses->loop == kTop) return std::nullopt;
  const StatementPlace& loop = map_.places()[uses->loop];
  std::vector<PlaceId> loops = map_.scope(loop.scope).loops;
  const bool is_repeated = !loops.empty();
  loops.push_back(uses->loop);
  const auto runs = runs_before(*uses);
  if (!runs || !loop.is_serial_loop() || loop.may_run_less || loop.is_left ||
      !loop.begin.is_const(0) || map_.scope(arrive.scope).loops != loops ||
      !order_.meets_in_each_turn(uses->loop, among_all(*uses))) {
    return std::nullopt;
  }
  const Expr k = loop.variable;
  std::vector<Expr> of_all, of_thread;
  for (Expr c : conditions_inside(uses->arrive, uses->loop)) {
    (map_.mentions_thread(c) ? of_thread : of_all).push_back(c);
  }
  if (arriving_threads(of_thread) != buffer.arrivals) return std::nullopt;
  for (Expr c : of_all) {
    if (map_.mentions_number(c) || !holds_first(uses->loop, c)) return std::nullopt;
  }
  std::vector<Expr> conditions = of_all;
  conditions.insert(conditions.end(), of_thread.begin(), of_thread.end());
  for (std::int64_t turns = 0; turns <= stages; ++turns) {
    // Of those that arrive in a run.
    const Expr count = loop.extent - turns;
    const Expr before = is_repeated ? *runs * count : map_.pool().constant(0);
    if (!follows(*uses, turns, before, s)) continue;
    if (is_repeated && !holds_in_first(uses->loop, of_all, count)) return std::nullopt;
    const Expr object = (before + k) % s;
    if (!map_.at(arrive.scope).proves(eq(number(uses->arrive), object))) return std::nullopt;
    for (std::size_t i : uses->copies) {
      if (!map_.tree().is_inside(map_.accesses()[i].place, uses->loop)) return std::nullopt;
      if (!arrives_behind(i, *uses, object, conditions)) return std::nullopt;
    }
    if (turns == 0 && waits_at < arrive.place) return std::nullopt;
    // Bytes are announced in their own phase: the one before it at the object has ended.
    const bool is_behind = std::ranges::all_of(
        uses->copies, [&](std::size_t i) { return waits_at < map_.accesses()[i].place; });
    if (turns == stages && !is_behind) return std::nullopt;
    // The next phase of what is waited for begins behind a barrier.
    if (!order_.meets_on_the_way(waits_at, arrive.place, uses->loop, stages - turns,
                                 among_all(*uses))) {
      return std::nullopt;
    }
    if (is_repeated &&
        !order_.meets_on_the_way(waits_at, arrive.place, uses->loop, 1, among_all(*uses))) {
      return std::nullopt;
    }
    // What is waited for has been begun.
    Facts facts = map_.facts(map_.accesses()[uses->wait].scope);
    facts.assume(map_.pool().constant(turns) <= k);
    Simplifier& at_wait = map_.with(facts);
    for (Expr c : of_all) {
      if (!at_wait.proves(substitute(c, {{k, k - turns}}))) return std::nullopt;
    }
    return ObjectRing{uses->loop, waits_at, turns};
  }
  return std::nullopt;
}

}  // namespace selvage
