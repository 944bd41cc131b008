#include <selvage/expr/symbols.h>
#include <selvage/kernel/verify_parts.h>

#include <algorithm>
#include <map>

namespace selvage {

namespace {

constexpr std::int64_t kMostWork = 1 << 23;

// What stands around a barrier must say the same to all threads that meet there: the condition of a
// guard, the number of iterations of a loop.
class Divergence {
 public:
  explicit Divergence(const AccessMap& map) : map_(map) {}

  HazardFindings list() {
    for (PlaceId id = 0; id < map_.places().size(); ++id) {
      const Statement& s = *map_.places()[id].statement;
      if (const auto* barrier = std::get_if<Barrier>(&s.node)) {
        const bool is_warp = barrier->scope == Barrier::Scope::Warp;
        check(id, is_warp, is_warp ? "a barrier of a warp" : "a barrier");
      } else if (std::holds_alternative<Shuffle>(s.node)) {
        check(id, true, "a shuffle");
        check_whole_warps(id);
      }
    }
    return std::move(out_);
  }

 private:
  void check(PlaceId id, bool is_warp, const std::string& what) {
    for (PlaceId a = map_.places()[id].parent; a != kTop; a = map_.places()[a].parent) {
      const StatementPlace& around = map_.places()[a];
      if (!around.is_serial_loop() && !around.condition.valid()) continue;
      const auto [it, fresh] = known_.try_emplace({a, is_warp}, Verdict(Unknown{}));
      if (fresh) {
        if (around.condition.valid()) {
          it->second = uniform(around.condition, around.scope, is_warp);
        } else {
          // The variable stands for the iteration, too.
          it->second = uniform(around.begin, around.scope, is_warp);
          if (is_proved(it->second)) it->second = uniform(around.extent, around.scope, is_warp);
        }
      }
      if (is_proved(it->second)) {
        add_rules(it->second, out_.proved);
        continue;
      }
      open(id, it->second,
           "it is not proved that all threads of the " + std::string(is_warp ? "warp" : "block") +
               " reach " + what + ", or none");
      return;
    }
  }

  void check_whole_warps(PlaceId id) {
    const auto& b = map_.kernel().launch.block;
    const Expr claim = eq(b[0] * b[1] * b[2] % kWarp, 0);
    Simplifier sizes(map_.size_facts());
    if (sizes.proves(claim)) return;
    open(id, Unknown{claim}, "it is not proved that a block that shuffles has whole warps");
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

  Verdict uniform(Expr e, std::size_t scope, bool is_warp) {
    Simplifier& known = map_.at(scope);
    const Expr simple = known.simplify(e);
    if (!mentions_thread(simple)) return Proved{{"uniform"}};
    if (info(e.op()).result == Result::Truth && (known.proves(e) || known.proves(!e))) {
      return Proved{{"uniform"}};
    }
    if (is_uniform_everywhere(simple, scope, is_warp)) return Proved{{"exact enumeration"}};
    return Unknown{simple};
  }
  bool mentions_thread(Expr e) const {
    const std::vector<Expr> symbols = symbols_of(std::span(&e, 1));
    return std::any_of(symbols.begin(), symbols.end(), [&](Expr s) { return map_.is_thread(s); });
  }

  // At all values of what is not the thread's.
  bool is_uniform_everywhere(Expr e, std::size_t scope, bool is_warp) {
    const auto extents = map_.block_extents();
    if (!extents) return false;
    std::vector<PointAxis> shared, threads;
    ExprPool& pool = map_.pool();
    for (Expr s : symbols_of(std::span(&e, 1))) {
      if (map_.is_thread(s)) continue;
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
    for (Expr c : map_.scope(scope).conditions) {
      if (uses_only(std::span(&c, 1), known)) conditions.push_back(c);
    }
    Slots slots;
    for (const PointAxis& a : shared) slots(a.symbol);
    const Expr results[] = {e, number};
    PointWalk outer(shared, {}, {}, slots), inner(threads, conditions, results, slots);
    std::int64_t work = kMostWork;
    bool is_uniform = true;
    std::map<std::int64_t, std::int64_t> said;  // by warp
    const auto end = outer.run(work, [&] {
      said.clear();
      const auto inside = inner.run(work, [&] {
        const std::int64_t group = is_warp ? inner.result(1) / kWarp : 0;
        const auto it = said.try_emplace(group, inner.result(0)).first;
        is_uniform = it->second == inner.result(0);
        return is_uniform;
      });
      is_uniform = is_uniform && inside == PointWalk::End::Done;
      return is_uniform;
    });
    return is_uniform && end == PointWalk::End::Done;
  }

  const AccessMap& map_;
  std::map<std::pair<PlaceId, bool>, Verdict> known_;
  HazardFindings out_;
};

}  // namespace

HazardFindings divergence_findings(const AccessMap& map) { return Divergence(map).list(); }

}  // namespace selvage
