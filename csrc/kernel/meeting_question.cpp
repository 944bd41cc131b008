#include <selvage/base/integer.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/kernel/meeting_question.h>
#include <selvage/kernel/ranks.h>
#include <selvage/kernel/verify_agreement.h>
#include <selvage/kernel/verify_collisions.h>
#include <selvage/kernel/verify_strides.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace selvage {

namespace {

constexpr int kMostCuts = 6;  // of an address by strides
constexpr std::int64_t kMostTurns = 1 << 10;

// One meeting: two copies of what is not the same for both accesses.
class Question {
 public:
  Question(const AccessMap& map, const Meeting& meeting)
      : map_(map),
        meeting_(meeting),
        first_(map.accesses()[meeting.first]),
        second_(map.accesses()[meeting.second]) {
    find_pieces();
    name_copies();
    find_iterations();
    measure();
  }

  Ordering answer(const std::vector<Point>* samples) {
    const Expr unanswered = map_.pool().truth(false);
    Ordering out{Unknown{unanswered}, {}, Unknown{unanswered}, {}};
    if (!map_.overlap(first_.buffer, second_.buffer)) {
      out.across = out.within = Proved{{"memory of its own"}};
      return out;
    }
    if (meeting_.where == Meeting::Where::Grid) out.within = Proved{{"two blocks"}};
    if (meeting_.where == Meeting::Where::Thread) out.within = Proved{{"one thread"}};
    if (are_never_related()) {
      out.across = out.within = Proved{{"one iteration"}};
      return out;
    }
    if (!is_measured_) return out;
    // That slots of a ring differ, the numbers in addresses tell; there are many points to go
    // through.
    prove(out, first_.is_async || second_.is_async);
    if (is_proved(out.across) && is_proved(out.within)) return out;
    CollisionSearch of_all = search();
    of_all.across_will_do = samples == nullptr;
    const Collisions found = find_collisions(of_all, nullptr);
    if (found.is_known) {
      if (!found.across && !is_proved(out.across)) out.across = Proved{{"exact enumeration"}};
      const bool was_cut_short = found.across && of_all.across_will_do;
      if (!found.within && !was_cut_short && !is_proved(out.within)) {
        out.within = Proved{{"exact enumeration"}};
      }
    } else {
      prove(out, true);
    }
    if (is_proved(out.across) && is_proved(out.within)) return out;
    if (samples != nullptr && first_.is_certain() && second_.is_certain()) {
      if (map_.sizes().empty()) {
        refute(out, found);
      } else {
        for (const Point& sizes : *samples) refute(out, find_collisions(search(), &sizes));
      }
    }
    if (auto* u = std::get_if<Unknown>(&out.across)) u->residue = claim();
    if (auto* u = std::get_if<Unknown>(&out.within)) u->residue = claim();
    return out;
  }

 private:
  Expr primed(Expr symbol) {
    const Expr other = map_.pool().symbol(std::string(symbol.name()) + "'");
    second_names_.emplace_back(symbol, other);
    original_[other.id()] = symbol;
    return other;
  }

  // Where a block is a cluster: two accesses of the same memory, each in the piece of its own rank,
  // in which it stays (kernel/verify_ranks.cpp). They meet in one rank or not at all.
  void find_pieces() {
    if (!has_pieces(map_.kernel(), first_.buffer) || first_.buffer != second_.buffer) return;
    const auto a = in_own_piece(map_, meeting_.first), b = in_own_piece(map_, meeting_.second);
    if (a && b) pieces_ = {*a, *b};
  }

  void name_copies() {
    for (Expr t : map_.threads()) {
      if (!t.is(Op::Symbol) || meeting_.where == Meeting::Where::Thread) continue;
      if (pieces_ && same(t, map_.threads()[2])) continue;
      primed(t);
    }
    if (meeting_.where == Meeting::Where::Grid) {
      for (Expr b : map_.blocks()) {
        if (b.is(Op::Symbol)) primed(b);
      }
    }
    const auto& loops = map_.scope(second_.scope).loops;
    for (std::size_t i = meeting_.equal; i < loops.size(); ++i) {
      const Expr v = map_.places()[loops[i]].variable;
      if (i == meeting_.equal && meeting_.relation == Meeting::Relation::Next) {
        if (meeting_.distance != 0) second_names_.emplace_back(v, v + meeting_.distance);
      } else {
        primed(v);
      }
    }
  }

  // Loops of which one access tells the iteration, so that the other is made in the same one, or in
  // that so many turns away.
  void find_iterations() {
    const auto& loops = map_.scope(first_.scope).loops;
    const std::size_t related =
        meeting_.equal + (meeting_.relation == Meeting::Relation::Next ? 1 : 0);
    for (std::size_t i = 0; i < std::min(related, loops.size()); ++i) {
      const Expr v = map_.places()[loops[i]].variable;
      const Interval a = map_.at(first_.scope).interval(v), b = map_.at(second_.scope).interval(v);
      const std::int64_t later = i == meeting_.equal ? meeting_.distance : 0;
      if (!a.is_point() && !b.is_point()) continue;
      iterations_.emplace_back(v, map_.pool().constant(a.is_point() ? a.lo : b.lo - later));
    }
  }

  // The variable of the loop whose iterations a meeting relates.
  Expr related_loop() const {
    return map_.places()[map_.scope(first_.scope).loops[meeting_.equal]].variable;
  }
  // Whether the accesses are made in iterations of loops that are not related so.
  bool are_never_related() const {
    using Relation = Meeting::Relation;
    const auto& loops = map_.scope(first_.scope).loops;
    const std::size_t related = meeting_.equal + (meeting_.relation == Relation::Free ? 0 : 1);
    for (std::size_t i = 0; i < std::min(related, loops.size()); ++i) {
      const Expr v = map_.places()[loops[i]].variable;
      const Interval a = map_.at(first_.scope).interval(v), b = map_.at(second_.scope).interval(v);
      const bool is_later = i == meeting_.equal;
      const std::int64_t turns = is_later ? meeting_.distance : 0;
      const bool is_too_early = a.has_lo() && b.has_hi() && b.hi - turns < a.lo;
      const bool is_too_late = a.has_hi() && b.has_lo() && a.hi < b.lo - turns;
      const bool may_be_later = is_later && meeting_.relation == Relation::Later;
      if (is_too_early || (is_too_late && !may_be_later)) return true;
    }
    return false;
  }

  // Addresses in units of which each element is a whole number.
  void measure() {
    const Buffer &x = map_.kernel().buffers[first_.buffer],
                 &y = map_.kernel().buffers[second_.buffer];
    std::int64_t scale_x = 1, scale_y = 1, from_x = 0, from_y = 0;
    if (first_.buffer != second_.buffer) {
      from_x = x.offset.value_or(0), from_y = y.offset.value_or(0);
      const std::int64_t unit = std::gcd(std::gcd(std::int64_t(size_of(x.type)), size_of(y.type)),
                                         std::gcd(magnitude(from_x), magnitude(from_y)));
      scale_x = size_of(x.type) / unit, scale_y = size_of(y.type) / unit;
      from_x /= unit, from_y /= unit;
    }
    scale_second_ = scale_y, from_second_ = from_y;
    units_[0] = first_.width * scale_x;
    units_[1] = second_.width * scale_y;
    const auto sum = [this](Expr address, std::int64_t scale, std::int64_t from) {
      const LinearSum base = LinearSum::of_constant(from);
      const auto scaled = add(base, to_linear_or_atom(address), scale);
      is_measured_ = is_measured_ && scaled.has_value();
      return scaled.value_or(LinearSum{});
    };
    sums_[0] = sum(pieces_ ? (*pieces_)[0] : map_.address(meeting_.first), scale_x, from_x);
    sums_[1] = sum(pieces_ ? (*pieces_)[1] : map_.address(meeting_.second), scale_y, from_y);
  }

  Interval range(Expr symbol) {
    for (std::size_t k = 0; k < 2; ++k) {
      if (lane_[k].valid() && same(symbol, lane_[k])) return {0, units_[k] - 1};
    }
    if (const auto it = original_.find(symbol.id()); it != original_.end()) {
      return map_.at(second_.scope).interval(it->second);
    }
    if (known(symbol, first_.scope)) return map_.at(first_.scope).interval(symbol);
    return known(symbol, second_.scope) ? map_.at(second_.scope).interval(symbol) : Interval{};
  }
  bool known(Expr symbol, std::size_t scope) const {
    return map_.at(scope).facts().find(symbol) != nullptr;
  }

  // Tries to prove that equal addresses imply equal threads (or warps). `thoroughly`: with more
  // proofs, which take longer.
  void prove(Ordering& out, bool thoroughly) {
    ExprPool& pool = map_.pool();
    if (!lane_[0].valid() && (units_[0] > 1 || units_[1] > 1)) {
      lane_[0] = pool.symbol("lane of access");
      lane_[1] = pool.symbol("lane of access'");
      second_names_.emplace_back(lane_[0], lane_[1]);
    }
    Agreement agreement(pool, second_names_, [this](Expr e) { return range(e); });
    const bool is_grid = meeting_.where == Meeting::Where::Grid;
    const bool is_thread = meeting_.where == Meeting::Where::Thread;
    const auto& wanted = is_grid ? map_.blocks() : map_.threads();
    if (pieces_ && !is_thread) {
      agreement.learn(map_.threads()[2]);
      out.across = Proved{{"pieces of ranks"}};
    }
    for (Expr t : wanted) {
      if (!t.is(Op::Symbol)) continue;
      const Interval a = map_.at(first_.scope).interval(t), b = map_.at(second_.scope).interval(t);
      if (a.is_point() && a == b) agreement.learn(t);
    }
    if (!cut_and_equate(agreement, sums_[0], sums_[1], units_, thoroughly)) {
      out.across = out.within = Proved{{"no common address"}};
      return;
    }
    if (meeting_.relation == Meeting::Relation::Later && agreement.agrees(related_loop())) {
      out.across = out.within = Proved{{"address tells iteration"}};
      return;
    }
    if (is_thread) return;  // that both are of one thread is known
    if (std::all_of(wanted.begin(), wanted.end(), [&](Expr e) { return agreement.agrees(e); })) {
      out.across = out.within = Proved{{"address tells thread"}};
      return;
    }
    if (!is_grid) compare_signatures(agreement, out);
  }

  // S*p + q = S*p' + q' with 0 <= q, q' < S: the quotients agree, and so do the rests.
  bool cut_and_equate(Agreement& agreement, LinearSum a, LinearSum b,
                      std::array<std::int64_t, 2> units, bool with_numbers) {
    enum class Cut : std::uint8_t { None, Made, Differs };
    const auto cut_at = [&](const std::vector<Expr>& strides) {
      for (Expr stride : strides) {
        const auto x = cut(map_.pool(), a, stride), y = cut(map_.pool(), b, stride);
        if (!x || !y || !fits(map_, first_.scope, x->rest, units[0], stride) ||
            !fits(map_, second_.scope, y->rest, units[1], stride)) {
          continue;
        }
        if (!equate(agreement, x->rest, y->rest, units)) return Cut::Differs;
        a = x->quotient;
        b = y->quotient;
        units = {1, 1};
        return Cut::Made;
      }
      return Cut::None;
    };
    for (int cuts = 0; cuts < kMostCuts; ++cuts) {
      Cut made = cut_at(strides_of(map_, a, with_numbers));
      // Where one address is a number, the other one has the strides.
      if (made == Cut::None) made = cut_at(strides_of(map_, b, with_numbers));
      if (made == Cut::Differs) return false;
      if (made == Cut::None) break;
    }
    return equate(agreement, a, b, units);
  }
  bool equate(Agreement& agreement, const LinearSum& a, const LinearSum& b,
              const std::array<std::int64_t, 2>& units) {
    ExprPool& pool = map_.pool();
    Expr x = to_expr(pool, a), y = substitute(to_expr(pool, b), second_names_);
    if (units[0] > 1) x = x + lane_[0];
    if (units[1] > 1) y = y + lane_[1];
    if (!iterations_.empty()) {
      x = substitute(x, iterations_);
      y = substitute(y, iterations_);
    }
    if (differ_in_each_turn(x, y) || !agreement.equate(x, y)) return false;
    learn_points(agreement, x, y);
    return true;
  }
  // Where one side's conditions leave an index one number, that stands in its address instead: then
  // the index agrees if the other side's is that number.
  void learn_points(Agreement& agreement, Expr x, Expr y) {
    const auto is_only = [&](const KernelAccess& access, Expr symbol, Expr number) {
      const Interval own = map_.at(access.scope).interval(symbol);
      return own.is_point() && number.is_const(own.lo);
    };
    for (const auto& indices : {map_.threads(), map_.blocks()}) {
      for (Expr t : indices) {
        if (!t.is(Op::Symbol)) continue;
        if ((same(x, t) && is_only(second_, t, y)) ||
            (same(y, substitute(t, second_names_)) && is_only(first_, t, x))) {
          agreement.learn(t);
        }
      }
    }
  }
  // Whether two expressions over the turn of a loop, k % 3 and (k + 2) % 3, or k and (k + 2) % 3 in
  // the first turns alone, are never the same.
  bool differ_in_each_turn(Expr x, Expr y) {
    const Expr roots[] = {x, y};
    const std::vector<Expr> symbols = symbols_of(std::span<const Expr>(roots));
    if (symbols.size() != 1) return false;
    Interval turns = range(symbols[0]);
    if (const auto period = period_of(symbols[0], roots)) turns = {0, *period - 1};
    const bool is_few = turns.has_lo() && turns.has_hi() && turns.hi < kMostTurns;
    if (!is_few || turns.lo < 0) return false;
    Slots slots;
    const std::size_t turn = slots(symbols[0]);
    SlotTape tape(roots, slots);
    std::int64_t work = kMostTurns * 64;
    for (slots[turn] = turns.lo; slots[turn] <= turns.hi; ++slots[turn]) {
      if (!tape.evaluate(slots, work) || tape.root(0) == tape.root(1)) return false;
    }
    return true;
  }

  // Searches for two threads with equal values of all that agrees; if there are none, they never
  // meet.
  void compare_signatures(Agreement& agreement, Ordering& out) {
    const auto extents = map_.block_extents();
    if (!extents) return;
    std::vector<Expr> threads;
    for (Expr t : map_.threads()) {
      if (t.is(Op::Symbol)) threads.push_back(t);
    }
    std::vector<Expr> signature;
    for (Expr t : threads) {
      if (agreement.agrees(t)) signature.push_back(t);
    }
    for (Expr e : agreement.found()) {
      if (!e.is(Op::Symbol) && uses_only(e, threads)) signature.push_back(e);
    }
    std::array<std::vector<Expr>, 2> conditions;
    for (std::size_t side = 0; side < 2; ++side) {
      const std::size_t scope = side == 0 ? first_.scope : second_.scope;
      for (Expr e : map_.scope(scope).conditions) {
        if (uses_only(e, threads)) conditions[side].push_back(e);
      }
    }
    if (signature.empty() && conditions[0].empty() && conditions[1].empty()) return;
    const Collisions found =
        collisions_of_signatures(map_, *extents, signature, conditions[0], conditions[1]);
    if (!found.is_known) return;
    if (!found.across) out.across = Proved{{"address tells thread"}};
    if (!found.within) out.within = Proved{{"address tells thread"}};
  }

  // Both addresses without the terms that they share.
  std::pair<Expr, Expr> reduced() const {
    LinearSum a = sums_[0],
              b = to_linear_or_atom(substitute(to_expr(map_.pool(), sums_[1]), second_names_));
    for (std::size_t i = a.terms.size(); i-- > 0;) {
      const auto at = std::find_if(b.terms.begin(), b.terms.end(), [&](const auto& t) {
        return same(t.monomial, a.terms[i].monomial) && t.coefficient == a.terms[i].coefficient;
      });
      if (at == b.terms.end()) continue;
      b.terms.erase(at);
      a.terms.erase(a.terms.begin() + std::ptrdiff_t(i));
    }
    return {to_expr(map_.pool(), a), to_expr(map_.pool(), b)};
  }

  Expr claim() const {
    const auto [a, b] = reduced();
    return !eq(a, b);
  }

  CollisionSearch search() const {
    CollisionSearch s{.map = map_, .meeting = meeting_};
    const auto [a, b] = reduced();
    s.address = {a, b};
    s.units = units_;
    s.second_names = second_names_;
    s.is_in_one_rank = pieces_ && meeting_.where != Meeting::Where::Thread;
    return s;
  }

  void refute(Ordering& out, const Collisions& found) const {
    const auto take = [&](const std::optional<Encounter>& at, Verdict& verdict,
                          std::optional<Encounter>& where) {
      if (!at || !is_unknown(verdict)) return;
      where = at;
      where->address = *euclid_div(at->address - from_second_, scale_second_);
      if (pieces_) {
        const Buffer& buffer = map_.kernel().buffers[second_.buffer];
        where->address += at->second.thread[2] * buffer.piece(map_.kernel().launch.ranks());
      }
      verdict = Refuted{refuting_point(*where)};
    };
    take(found.across, out.across, out.across_at);
    take(found.within, out.within, out.within_at);
  }
  // Sizes, block, both threads, their loop variables; those of the second with a prime.
  Point refuting_point(const Encounter& e) const {
    Point p;
    const auto add_thread = [&](const ThreadAt& t, bool is_second) {
      const auto name = [&](Expr symbol) {
        return is_second ? map_.pool().symbol(std::string(symbol.name()) + "'") : symbol;
      };
      for (std::size_t k = 0; k < 3; ++k) {
        const bool is_own = !is_second || meeting_.where == Meeting::Where::Grid;
        if (is_own && map_.blocks()[k].is(Op::Symbol)) {
          p.emplace_back(name(map_.blocks()[k]), t.block[k]);
        }
      }
      for (std::size_t k = 0; k < 3; ++k) {
        if (map_.threads()[k].is(Op::Symbol)) p.emplace_back(name(map_.threads()[k]), t.thread[k]);
      }
      for (const auto& [v, value] : t.variables) p.emplace_back(name(v), value);
    };
    add_thread(e.first, false);
    add_thread(e.second, true);
    p.insert(p.end(), e.sizes.begin(), e.sizes.end());
    return p;
  }

  const AccessMap& map_;
  Meeting meeting_;
  KernelAccess first_, second_;
  std::optional<std::array<Expr, 2>> pieces_;  // the addresses in the piece
  Environment second_names_;
  Environment iterations_;  // of loops, in the first access's names: find_iterations()
  std::map<std::uint32_t, Expr> original_;
  std::array<LinearSum, 2> sums_;
  std::array<std::int64_t, 2> units_{1, 1};
  bool is_measured_ = true;  // no coefficient leaves 64 bits
  std::int64_t scale_second_ = 1, from_second_ = 0;
  std::array<Expr, 2> lane_;
};

}  // namespace

Ordering answer_of(const AccessMap& map, const Meeting& meeting,
                   const std::vector<Point>* samples) {
  return Question(map, meeting).answer(samples);
}

}  // namespace selvage
