#include <selvage/expr/conjuncts.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/tape.h>
#include <selvage/kernel/barrier_members.h>
#include <selvage/kernel/verify_points.h>
#include <selvage/kernel/verify_shifts.h>

#include <algorithm>
#include <numeric>

namespace selvage {

namespace {

constexpr std::int64_t kMostTurns = 128;
constexpr std::size_t kMostParts = 2048;
// Iterations at each end of a loop that may differ from the others.
constexpr std::int64_t kEdges[] = {1, 2, 4, 8, 16};

class ShiftProofs {
 public:
  explicit ShiftProofs(const AccessMap& map) : map_(map) {}

  std::optional<Shifts> find() {
    if (!find_size() || !find_loops() || !collect()) return std::nullopt;
    const Facts::Symbol* known = map_.size_facts().find(out_.size);
    if (known == nullptr || !known->range.has_lo() || known->congruence.is_point()) return {};
    range_ = known->range;
    congruence_ = known->congruence;
    for (const std::int64_t times : {1, 2, 4}) {
      if (!set_step(times)) return std::nullopt;
      for (const std::int64_t edge : kEdges) {
        out_.edge = edge;
        if (set_least() && all_shift()) return std::move(out_);
      }
    }
    return std::nullopt;
  }

 private:
  // An expression that decides what threads do.
  struct Part {
    Expr e;
    std::size_t scope;
    PlaceId loop;  // the long one around it; or kTop
    PlaceId wait;  // for an object, whose phase it is; or kTop
  };

  template <class F>
  void for_each_part(F f) const {
    for (PlaceId id = 0; id < map_.places().size(); ++id) {
      const StatementPlace& p = map_.places()[id];
      const auto* wait = std::get_if<Wait>(&p.statement->node);
      for (Expr e : {p.begin, p.extent, p.condition, p.amount}) {
        if (e.valid()) f(e, p.scope, id, wait != nullptr && wait->object ? id : kTop);
      }
    }
    for (const KernelAccess& a : map_.accesses()) {
      if (map_.kernel().buffers[a.buffer].memory == Memory::Global) continue;
      f(a.address, a.scope, a.place, kTop);
      const auto& all = map_.scope(a.scope).conditions;
      for (std::size_t k = map_.scope(map_.places()[a.place].scope).conditions.size();
           k < all.size(); ++k) {
        f(all[k], map_.places()[a.place].scope, a.place, kTop);
      }
    }
  }

  bool find_size() {
    std::vector<Expr> sizes;
    for_each_part([&](Expr e, std::size_t, PlaceId, PlaceId) {
      for (Expr s : symbols_of(std::span(&e, 1))) {
        if (map_.is_size(s) && !contains(sizes, s)) sizes.push_back(s);
      }
    });
    for (const Buffer& b : map_.kernel().buffers) {
      if (b.memory != Memory::Global && !b.elements.is(Op::Const)) return false;
    }
    if (sizes.size() != 1 || !map_.block_extents()) return false;
    out_.size = sizes[0];
    return true;
  }

  bool find_loops() {
    for (PlaceId id = 0; id < map_.places().size(); ++id) {
      const StatementPlace& p = map_.places()[id];
      if (!p.is_serial_loop() || !map_.scope(p.scope).loops.empty()) continue;
      if (!mentions(p.extent, out_.size)) continue;
      if (!p.begin.is(Op::Const) || p.may_run_less || !uses_only(p.extent, {&out_.size, 1})) {
        return false;
      }
      for (PlaceId other : out_.loops) {
        if (!are_of_others(other, id)) return false;
      }
      out_.loops.push_back(id);
    }
    return !out_.loops.empty();
  }
  // Whether no thread runs both.
  bool are_of_others(PlaceId x, PlaceId y) const {
    const auto regions = [&](PlaceId id) {
      std::vector<const Region*> all;
      for (; id != kTop; id = map_.places()[id].parent) {
        const auto* region = std::get_if<Region>(&map_.places()[id].statement->node);
        if (region != nullptr) all.push_back(region);
      }
      return all;
    };
    const auto of_x = regions(x), of_y = regions(y);
    return std::ranges::any_of(of_x, [&](const Region* a) {
      return std::ranges::any_of(of_y, [&](const Region* b) { return !share_a_thread(*a, *b); });
    });
  }

  bool collect() {
    for_each_part([&](Expr e, std::size_t scope, PlaceId place, PlaceId wait) {
      // The ends of the long loops themselves are known to shift.
      if (std::ranges::find(out_.loops, place) != out_.loops.end()) return;
      const auto around = std::ranges::find_if(
          out_.loops, [&](PlaceId loop) { return map_.tree().is_inside(place, loop); });
      const PlaceId loop = around == out_.loops.end() ? kTop : *around;
      for (Expr part : wait == kTop ? conjuncts_of(e) : std::vector{e}) {
        parts_.push_back({part, scope, loop, wait});
      }
    });
    return parts_.size() <= kMostParts;
  }

  // Whether n and k come in quotients and remainders by numbers that divide a few iterations.
  bool set_step(std::int64_t times) {
    std::vector<Expr> all, ends;
    for (const Part& p : parts_) all.push_back(p.e);
    for (PlaceId loop : out_.loops) ends.push_back(map_.places()[loop].extent);
    std::vector<Expr> variables;
    for (PlaceId loop : out_.loops) variables.push_back(map_.places()[loop].variable);
    const std::int64_t turns = times * common_multiple(all, variables);
    all.insert(all.end(), ends.begin(), ends.end());
    const std::int64_t unit = common_multiple(all, {&out_.size, 1});
    const std::int64_t step =
        std::lcm(turns * unit, std::max<std::int64_t>(1, congruence_.modulus));
    if (turns < 1 || unit < 1 || step > kMostTurns * 64) return false;
    Simplifier& sizes = map_.with(map_.size_facts());
    std::optional<std::int64_t> common;
    for (Expr end : ends) {
      const Expr more = sizes.simplify(substitute(end, {{out_.size, out_.size + step}}) - end);
      if (!more.is(Op::Const) || (common && *common != more.value())) return false;
      common = more.value();
    }
    out_.step = step;
    out_.turns = *common;
    return out_.turns > 0 && out_.turns <= kMostTurns && out_.turns % turns == 0;
  }
  // Of the constants that parts which mention one of these symbols are divided by; 0: it is large.
  std::int64_t common_multiple(std::span<const Expr> all, std::span<const Expr> symbols) const {
    std::int64_t common = 1;
    for (Expr e : reachable(all, true)) {
      const bool divides = e.is(Op::Div) || e.is(Op::Mod);
      if (!divides || !e[1].is(Op::Const) || e[1].value() < 1 || !mentions(e[0], symbols)) continue;
      if (e[1].value() > kMostTurns) return 0;
      common = std::lcm(common, e[1].value());
      if (common > kMostTurns) return 0;
    }
    return common;
  }

  // From which n on each long loop has iterations between its two edges.
  bool set_least() {
    constexpr std::int64_t kMostTried = 1 << 12;
    std::int64_t n = range_.lo;
    const auto is_long = [&](PlaceId loop) {
      const StatementPlace& p = map_.places()[loop];
      const auto end = value_at(p.extent, out_.size, n);
      return end && *end - p.begin.value() > 2 * out_.edge;
    };
    for (std::int64_t tried = 0; tried < kMostTried; ++tried, ++n) {
      if (congruence_.contains(n) && std::ranges::all_of(out_.loops, is_long)) {
        out_.least = n;
        return !range_.has_hi() || n <= range_.hi;
      }
    }
    return false;
  }

  bool all_shift() {
    out_.phases.clear();
    first_.clear();
    last_.clear();
    return std::ranges::all_of(
        parts_, [&](const Part& p) { return is_free_of_size(p) && (p.loop == kTop || shifts(p)); });
  }

  // n and what is known of a statement; of the long loop around it only these iterations.
  Facts facts_of(const Part& p, std::int64_t from, std::int64_t to_end) const {
    ExprPool& pool = map_.pool();
    Facts facts(pool);
    const Expr n = out_.size;
    facts.bound(n, pool.constant(out_.least), range_.has_hi() ? pool.constant(range_.hi) : Expr());
    if (congruence_.modulus > 1) facts.congruent(n, congruence_.modulus, congruence_.residue);
    for (std::size_t k = 0; k < 3; ++k) {
      const Expr t = map_.threads()[k];
      if (t.is(Op::Symbol)) facts.loop(t, pool.constant((*map_.block_extents())[k]));
    }
    for (PlaceId id : map_.scope(p.scope).loops) {
      const StatementPlace& loop = map_.places()[id];
      const bool is_long = id == p.loop;
      facts.bound(loop.variable, is_long ? loop.begin + from : loop.begin,
                  loop.extent - (is_long ? to_end + 1 : 1));
    }
    for (Expr c : map_.scope(p.scope).conditions) facts.assume(c);
    return facts;
  }
  Simplifier& known(std::map<std::size_t, Simplifier>& all, const Part& p, std::int64_t from,
                    std::int64_t to_end) {
    const auto at = all.find(p.scope);
    if (at != all.end()) return at->second;
    return all.emplace(p.scope, Simplifier(facts_of(p, from, to_end))).first->second;
  }
  static bool is_truth(Expr e) { return info(e.op()).result == Result::Truth; }

  // Before the last iterations of the long loop, and outside of it.
  bool is_free_of_size(const Part& p) {
    if (!mentions(p.e, out_.size)) return true;
    Simplifier& at = known(first_, p, 0, out_.edge);
    if (is_truth(p.e) && (at.proves(p.e) || at.proves(!p.e))) return true;
    return !mentions(at.simplify(p.e), out_.size);
  }

  bool shifts(const Part& p) {
    const Expr k = map_.places()[p.loop].variable, n = out_.size;
    const Expr later = substitute(p.e, {{k, k + out_.turns}, {n, n + out_.step}});
    if (same(later, p.e)) return note(p, 0);
    Simplifier& at = known(last_, p, out_.edge, 0);
    if (!is_truth(p.e)) {
      const Expr more = at.simplify(later - p.e);
      return more.is(Op::Const) && note(p, more.value());
    }
    const auto is_order = [](Expr e) { return e.args().size() == 2 && !is_truth(e[0]); };
    if (is_order(p.e) && is_order(later) && later.op() == p.e.op()) {
      const Expr more = at.simplify((later[1] - later[0]) - (p.e[1] - p.e[0]));
      if (more.is_const(0)) return true;
    }
    return same(at.simplify(later), at.simplify(p.e)) || (at.proves(p.e) && at.proves(later)) ||
           (at.proves(!p.e) && at.proves(!later));
  }
  bool note(const Part& p, std::int64_t more) {
    if (p.wait == kTop) return more == 0;
    out_.phases[p.wait] = more;
    return true;
  }

  const AccessMap& map_;
  Shifts out_;
  Interval range_;
  Congruence congruence_;
  std::vector<Part> parts_;
  std::map<std::size_t, Simplifier> first_, last_;  // by scope
};

}  // namespace

std::optional<Shifts> shifts_of(const AccessMap& map) { return ShiftProofs(map).find(); }

std::optional<std::int64_t> value_at(Expr e, Expr symbol, std::int64_t value) {
  Slots slots;
  slots[slots(symbol)] = value;
  if (!slots.has_all(e)) return std::nullopt;
  SlotTape tape(std::span(&e, 1), slots);
  std::int64_t work = INT64_MAX;
  return tape.evaluate(slots, work) ? std::optional(tape.root(0)) : std::nullopt;
}

}  // namespace selvage
