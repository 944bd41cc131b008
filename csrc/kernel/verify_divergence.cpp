#include <selvage/expr/symbols.h>
#include <selvage/kernel/barrier_members.h>
#include <selvage/kernel/statements.h>
#include <selvage/kernel/verify_objects.h>
#include <selvage/kernel/verify_parts.h>

#include <algorithm>
#include <map>
#include <set>

namespace selvage {

namespace {

constexpr std::int64_t kMostDivergenceWork = 1 << 23;

// Proves that no barrier is divergent: the conditions of guards and the numbers of iterations of
// loops around it must be the same for all its threads; likewise around each Leave of such a loop.
class Divergence {
 public:
  explicit Divergence(const AccessMap& map) : map_(map) {}

  HazardFindings list() {
    for (PlaceId id = 0; id < map_.places().size(); ++id) {
      const Statement& s = *map_.places()[id].statement;
      if (const Barrier* together = parts_of(s).together) look_at(id, s, *together);
      const auto* wait = std::get_if<Wait>(&s.node);
      if (wait == nullptr || !wait->object) continue;
      if (!objects_) objects_.emplace(map_, order());
      if (objects_->of(wait->object->buffer) != nullptr) {
        add_rule("each phase ends", out_.proved);
        continue;
      }
      open(id, Unknown{map_.pool().truth(false)},
           "it is not proved that the phase ends that a wait is for");
    }
    return std::move(out_);
  }

 private:
  void look_at(PlaceId id, const Statement& s, const Barrier& together) {
    const bool is_barrier = std::holds_alternative<Barrier>(s.node);
    check(id, together, id, is_barrier ? name_of(together) : std::string(name_of(s)));
    if (together.is_partial()) check_others(id, together);
    if (together.scope == Barrier::Scope::Threads) check_number(id, together);
    if (std::holds_alternative<Shuffle>(s.node)) check_whole(id, kWarp, "shuffles has whole warps");
    if (std::holds_alternative<Mma>(s.node)) {
      check_whole(id, kWarpgroup, "multiplies matrices has whole warpgroups");
    }
  }

  // A key of remembered answers: the set of threads that wait at a barrier, namely all of the block
  // (-1), of each warp (-2), rank (-3) or warpgroup (-4), or members of its own (the barrier's id).
  using Waiters = std::int64_t;
  Waiters waiters(const Barrier& barrier, PlaceId id) const {
    if (barrier.is_partial()) return id;
    return barrier.scope == Barrier::Scope::Block  ? -1
           : barrier.scope == Barrier::Scope::Warp ? -2
           : barrier.scope == Barrier::Scope::Rank ? -3
                                                   : -4;
  }

  // Proves that either all members of the barrier at `id` reach the statement at `at` together or
  // none does, and that they do not part at a loop around it that some of them leave. False: not
  // proved, and reported.
  bool check(PlaceId id, const Barrier& barrier, PlaceId at, const std::string& what) {
    std::vector<PlaceId> to_leaves;
    for (PlaceId a = map_.places()[at].parent; a != kTop; a = map_.places()[a].parent) {
      const StatementPlace& around = map_.places()[a];
      if (!around.is_serial_loop() && !around.condition.valid()) continue;
      const auto [it, fresh] = known_.try_emplace({a, waiters(barrier, id)}, Verdict(Unknown{}));
      if (fresh) {
        if (around.condition.valid()) {
          it->second = uniform(around.condition, around.scope, barrier);
        } else {
          // The variable stands for the iteration, too.
          it->second = uniform(around.begin, around.scope, barrier);
          if (is_proved(it->second)) it->second = uniform(around.extent, around.scope, barrier);
          if (around.may_run_less && !is_uniform_from_memory(around, a)) {
            it->second = Unknown{around.extent};
          }
        }
      }
      if (!is_proved(it->second)) {
        open(
            id, it->second,
            "it is not proved that all threads " + whose(barrier) + " reach " + what + ", or none");
        return false;
      }
      add_rules(it->second, out_.proved);
      if (around.is_left) to_leaves.push_back(a);
    }
    for (PlaceId leave : map_.leaves()) {
      const PlaceId loop = map_.places()[leave].leaves;
      if (std::find(to_leaves.begin(), to_leaves.end(), loop) == to_leaves.end()) continue;
      if (!left_.insert({leave, waiters(barrier, id)}).second) continue;
      if (!check(id, barrier, leave, what)) return false;
    }
    return true;
  }
  static std::string whose(const Barrier& barrier) {
    switch (barrier.scope) {
      case Barrier::Scope::Block: return "of the block";
      case Barrier::Scope::Warp:
        return barrier.is_partial() ? "of these lanes of the warp" : "of the warp";
      case Barrier::Scope::Threads: return "that take part";
      case Barrier::Scope::Rank: return "of the rank";
      case Barrier::Scope::Warpgroup: return "of the warpgroup";
    }
    return {};
  }

  // Nobody else comes there.
  void check_others(PlaceId id, const Barrier& barrier) {
    if (nobody_else_comes(id, barrier)) return add_rule("exact enumeration", out_.proved);
    open(id, Unknown{map_.pool().truth(false)},
         "it is not proved that no thread but those that take part reaches " + name_of(barrier));
  }
  bool nobody_else_comes(PlaceId id, const Barrier& barrier) {
    const std::size_t scope = map_.places()[id].scope;
    std::vector<Expr> conditions = map_.scope(scope).conditions;
    std::erase_if(conditions, [&](Expr e) { return !may_differ(e); });
    return for_threads(conditions, conditions, {}, scope, [&](std::int64_t thread, std::int64_t) {
      return thread == kNext || barrier.has(thread);
    });
  }

  // Most kernels need none.
  const BarrierOrder& order() {
    if (!order_) order_.emplace(map_);
    return *order_;
  }

  // Others whose barrier has its number are never there at the same time.
  void check_number(PlaceId id, const Barrier& barrier) {
    for (PlaceId other = 0; other < id; ++other) {
      const auto* b = std::get_if<Barrier>(&map_.places()[other].statement->node);
      const bool is_same = b != nullptr && b->scope == Barrier::Scope::Threads &&
                           b->id == barrier.id && !same_members(*b, barrier);
      if (!is_same) continue;
      if (order().are_kept_apart(other, id, BarrierOrder::Among::Block)) continue;
      return open(id, Unknown{map_.pool().truth(false)},
                  "it is not proved that no other threads use " + name_of(barrier) +
                      " when its own get there");
    }
  }

  // That a block has a multiple of so many threads.
  void check_whole(PlaceId id, std::int64_t threads, const std::string& what) {
    const auto& b = map_.kernel().launch.block;
    const Expr claim = eq(b[0] * b[1] * b[2] % threads, 0);
    Simplifier& sizes = map_.with(map_.size_facts());
    if (sizes.proves(claim)) return;
    open(id, Unknown{claim}, "it is not proved that a block that " + what);
  }

  void open(PlaceId id, Verdict verdict, std::string text) {
    out_.open.push_back({.hazard = Hazard::Divergence,
                         .verdict = std::move(verdict),
                         .statement = map_.places()[id].statement,
                         .buffer = {},
                         .sizes = {},
                         .first = {},
                         .second = {},
                         .text = std::move(text)});
  }

  Verdict uniform(Expr e, std::size_t scope, const Barrier& barrier) {
    Simplifier& known = map_.at(scope);
    const Expr simple = known.simplify(e);
    if (!may_differ(simple)) return Proved{{"uniform"}};
    if (info(e.op()).result == Result::Truth && (known.proves(e) || known.proves(!e))) {
      return Proved{{"uniform"}};
    }
    if (is_uniform_everywhere(simple, scope, barrier)) return Proved{{"exact enumeration"}};
    return Unknown{simple};
  }
  // Each thread may have another number from memory, unless all read the same elements for it.
  bool may_differ(Expr e) const {
    return map_.mentions_thread(e) ||
           std::ranges::any_of(map_.numbers(), [&](const MemoryNumber& n) {
             return mentions(e, n.symbol) && may_differ(n);
           });
  }
  // What it is made of mentions only numbers that are read before it.
  bool may_differ(const MemoryNumber& n) const {
    const ValueGraph& values = map_.kernel().values;
    return std::ranges::any_of(values_under(values, n.value), [&](ValueId v) {
      const ValueNode& node = values[v];
      switch (node.kind) {
        case ValueNode::Kind::Constant:
        case ValueNode::Kind::Apply:
        case ValueNode::Kind::Cast: return false;
        case ValueNode::Kind::Index: return may_differ(written_out(node.index, n.names));
        case ValueNode::Kind::Read:
          return !is_input(node.source) || may_differ(written_out(node.subscripts[0], n.names));
        case ValueNode::Kind::Search:
        case ValueNode::Kind::Check: return true;
      }
      return true;
    });
  }
  bool is_input(BufferId b) const {
    return map_.kernel().buffers[b].memory == Memory::Global && !map_.is_written(b);
  }
  // Whether all threads at a loop that memory counts read its numbers, or condition, from the same
  // elements of memory that the kernel does not write. All threads at the loop are at the same
  // iteration of the loops around.
  bool is_uniform_from_memory(const StatementPlace& loop, PlaceId id) const {
    if (loop.counted.valid()) return !may_differ(loop.counted);
    const ValueId condition = std::get<While>(loop.statement->node).condition;
    for (ValueId v : values_under(map_.kernel().values, condition)) {
      if (map_.kernel().values[v].kind == ValueNode::Kind::Index) return false;
    }
    const auto& all = map_.accesses();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].place != id) continue;
      if (!is_input(all[i].buffer) || may_differ(map_.address(i))) return false;
    }
    return true;
  }

  bool is_uniform_everywhere(Expr e, std::size_t scope, const Barrier& barrier) {
    std::map<std::int64_t, std::int64_t> said;  // by part
    const auto part = part_of(barrier, map_.kernel().launch);
    return for_threads({&e, 1}, map_.scope(scope).conditions, e, scope,
                       [&](std::int64_t thread, std::int64_t value) {
                         if (thread == kNext) said.clear();
                         if (thread == kNext || !barrier.has(thread)) return true;
                         const std::int64_t group = part ? thread / *part : 0;
                         return said.try_emplace(group, value).first->second == value;
                       });
  }

  // For all values of the symbols in `over` that are no thread indices: calls visit(kNext, ...) and
  // then visit(thread, value of `e`) for each thread for which those conditions hold that are over
  // these symbols and thread indices only (no `e`: 0). False: `visit` returned false, or there are
  // too many values.
  static constexpr std::int64_t kNext = -1;
  template <class F>
  bool for_threads(std::span<const Expr> over, std::span<const Expr> all, Expr e, std::size_t scope,
                   F visit) {
    const auto extents = map_.block_extents();
    if (!extents) return false;
    std::vector<PointAxis> shared, threads;
    ExprPool& pool = map_.pool();
    for (Expr s : symbols_of(over)) {
      if (map_.is_thread(s)) continue;
      if (map_.mentions_number(s)) return false;
      const Interval range = map_.at(scope).interval(s);
      if (!range.has_lo() || !range.has_hi() || range.hi == INT64_MAX) return false;
      shared.push_back({s, pool.constant(range.lo), pool.constant(range.hi + 1)});
    }
    std::vector<Expr> known;
    for (const PointAxis& a : shared) known.push_back(a.symbol);
    Expr number = map_.threads()[2];
    for (std::size_t k = 3; k-- > 0;) {
      const Expr t = map_.threads()[k];
      if (k < 2) number = number * pool.constant((*extents)[k]) + t;
      if (!t.is(Op::Symbol)) continue;
      threads.push_back({t, pool.constant(0), pool.constant((*extents)[k])});
      known.push_back(t);
    }
    std::vector<Expr> conditions;
    for (Expr c : all) {
      if (uses_only(c, known)) conditions.push_back(c);
    }
    Slots slots;
    for (const PointAxis& a : shared) slots(a.symbol);
    const Expr results[] = {e.valid() ? e : pool.constant(0), number};
    PointWalk outer(shared, {}, {}, slots), inner(threads, conditions, results, slots);
    std::int64_t work = kMostDivergenceWork;
    bool holds = true;
    const auto end = outer.run(work, [&] {
      holds = visit(kNext, 0);
      const auto inside = inner.run(work, [&] {
        holds = holds && visit(inner.result(1), inner.result(0));
        return holds;
      });
      holds = holds && inside == PointWalk::End::Done;
      return holds;
    });
    return holds && end == PointWalk::End::Done;
  }

  const AccessMap& map_;
  std::map<std::pair<PlaceId, Waiters>, Verdict> known_;
  std::set<std::pair<PlaceId, Waiters>> left_;  // each Leave that is looked at
  std::optional<BarrierOrder> order_;
  std::optional<ObjectRings> objects_;
  HazardFindings out_;
};

}  // namespace

HazardFindings divergence_findings(const AccessMap& map) { return Divergence(map).list(); }

}  // namespace selvage
