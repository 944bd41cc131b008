#include <selvage/base/integer.h>
#include <selvage/expr/substitute.h>
#include <selvage/legality/hoist.h>
#include <selvage/simplifier/linear.h>

#include <algorithm>
#include <bit>

namespace selvage {

namespace {

constexpr std::size_t kMostInner = 64;    // variables, a bit each
constexpr std::size_t kMostCases = 6;     // of one extreme value
constexpr std::int64_t kMostPoints = 32;  // written out one by one

// The extreme value of an expression, by cases that exclude each other and leave nothing out.
struct Extreme {
  struct Case {
    Expr when, value;
  };
  std::vector<Case> cases;
  bool exact = true;
};
using MaybeExtreme = std::optional<Extreme>;

// h = 0, step, 2*step, ..., most: what a sum of digits runs through.
struct Progression {
  Expr rest;  // fixed inside
  std::int64_t least = 0, step = 1, most = 0;
  bool exact = true;  // false: it may end before `most`
};

class Hoister {
 public:
  Hoister(std::span<const Expr> inner, Simplifier& ranges)
      : inner_(inner.begin(), inner.end()), ranges_(ranges), pool_(ranges.pool()) {}

  Hoisted run(Expr c) {
    if (c.is(Op::And)) {
      const Hoisted a = run(c[0]), b = run(c[1]);
      return {a.condition && b.condition, a.exact && b.exact};
    }
    if (mask(c) == 0) return {c, true};
    Hoisted by_extremes = compare(c);
    if (by_extremes.exact) return by_extremes;
    if (const auto points = written_out(c)) {
      if (points->exact || by_extremes.condition.is_false()) return *points;
    }
    return by_extremes;
  }

  std::optional<Extremum> extremum(Expr e, bool largest) {
    const MaybeExtreme found = extreme(e, largest);
    if (!found) return std::nullopt;
    // The cases leave nothing out: the last is what the others are not.
    Expr value = found->cases.back().value;
    for (std::size_t k = found->cases.size() - 1; k-- > 0;) {
      value = select(found->cases[k].when, found->cases[k].value, value);
    }
    return Extremum{ranges_.simplify(value), found->exact};
  }

 private:
  // The inner variables that an expression mentions.
  std::uint64_t mask(Expr e) {
    if (const auto it = masks_.find(e.id()); it != masks_.end()) return it->second;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < inner_.size(); ++i) {
      if (same(inner_[i], e)) bits |= std::uint64_t{1} << std::min(i, kMostInner - 1);
    }
    for (Expr a : e.args()) bits |= mask(a);
    return masks_[e.id()] = bits;
  }

  Hoisted nothing() const { return {pool_.truth(false), false}; }

  Hoisted compare(Expr c) {
    switch (c.op()) {
      case Op::Lt:
      case Op::Le: return compare(c[0], c[1], c.is(Op::Lt));
      case Op::Not:
        if (c[0].is(Op::Lt)) return compare(c[0][1], c[0][0], false);
        if (c[0].is(Op::Le)) return compare(c[0][1], c[0][0], true);
        return nothing();
      case Op::Or: {
        const Hoisted a = run(c[0]), b = run(c[1]);
        const bool apart = (mask(c[0]) & mask(c[1])) == 0;
        return {a.condition || b.condition, apart && a.exact && b.exact};
      }
      case Op::Bool: return {c, true};
      case Op::Const:
      case Op::Symbol:
      case Op::Let:
      case Op::Add:
      case Op::Sub:
      case Op::Mul:
      case Op::Div:
      case Op::Mod:
      case Op::Xor:
      case Op::Min:
      case Op::Max:
      case Op::And:
      case Op::Eq:
      case Op::Select:
      case Op::Load:
      case Op::Call: return nothing();
    }
    return nothing();
  }

  Hoisted compare(Expr less, Expr more, bool strict) {
    const MaybeExtreme a = extreme(less, true), b = extreme(more, false);
    if (!a || !b) return nothing();
    Expr all;
    for (const Extreme::Case& x : a->cases) {
      for (const Extreme::Case& y : b->cases) {
        const Expr holds = strict ? x.value < y.value : x.value <= y.value;
        const Expr here = ranges_.simplify(x.when && y.when && holds);
        all = all.valid() ? all || here : here;
      }
    }
    const bool apart = (mask(less) & mask(more)) == 0;
    return {ranges_.simplify(all), apart && a->exact && b->exact};
  }

  // The condition at every inner point, written out.
  std::optional<Hoisted> written_out(Expr c) {
    std::vector<Expr> used;
    bool exact = true;
    std::int64_t points = 1;
    for (std::size_t i = 0; i < inner_.size(); ++i) {
      if ((mask(c) >> std::min(i, kMostInner - 1) & 1) == 0) continue;
      const Interval r = ranges_.interval(inner_[i]);
      if (!r.has_hi() || r.lo != 0 || r.hi >= kMostPoints) return std::nullopt;
      points *= r.hi + 1;
      if (points > kMostPoints) return std::nullopt;
      exact = exact && ends_at(inner_[i], r.hi);
      used.push_back(inner_[i]);
    }
    Expr all = pool_.truth(true);
    for (std::int64_t k = 0; k < points; ++k) {
      Environment at;
      std::int64_t rest = k;
      for (Expr v : used) {
        const std::int64_t n = ranges_.interval(v).hi + 1;
        at.emplace_back(v, pool_.constant(rest % n));
        rest /= n;
      }
      all = all && ranges_.simplify(substitute(c, at));
    }
    return Hoisted{ranges_.simplify(all), exact};
  }

  static Extreme one(Expr value, bool exact = true) {
    return {{{value.pool().truth(true), value}}, exact};
  }

  MaybeExtreme extreme(Expr e, bool largest) {
    if (mask(e) == 0) return one(e);
    switch (e.op()) {
      case Op::Symbol: return of_variable(e, largest);
      case Op::Let: return extreme(e[0], largest);
      case Op::Add: return combine(e, largest, largest);
      case Op::Sub: return combine(e, largest, !largest);
      case Op::Min:
      case Op::Max: return combine(e, largest, largest);
      case Op::Mul: return of_product(e, largest);
      case Op::Div: return of_quotient(e, largest);
      case Op::Mod: return of_remainder(e, largest);
      case Op::Xor: return of_xor(e, largest);
      case Op::Const:
      case Op::Bool:
      case Op::Lt:
      case Op::Le:
      case Op::Eq:
      case Op::Not:
      case Op::And:
      case Op::Or:
      case Op::Select:
      case Op::Load:
      case Op::Call: return of_range(e, largest);
    }
    return std::nullopt;
  }

  MaybeExtreme of_variable(Expr v, bool largest) {
    if (!largest) return one(pool_.constant(0));
    const Facts::Symbol* s = ranges_.facts().find(v);
    if (s == nullptr || !s->hi.valid()) return std::nullopt;
    return extreme(s->hi, true);
  }

  // The end of the range of e, a bound that may not be reached.
  MaybeExtreme of_range(Expr e, bool largest) {
    const Interval r = ranges_.interval(e);
    if (largest ? !r.has_hi() : !r.has_lo()) return std::nullopt;
    return one(pool_.constant(largest ? r.hi : r.lo), false);
  }

  // A sum, a difference, a minimum or a maximum of two.
  MaybeExtreme combine(Expr e, bool left, bool right) {
    const MaybeExtreme a = extreme(e[0], left), b = extreme(e[1], right);
    if (!a || !b || a->cases.size() * b->cases.size() > kMostCases) return of_range(e, left);
    const bool apart = (mask(e[0]) & mask(e[1])) == 0;
    const bool is_its_own = (e.is(Op::Max) && left) || (e.is(Op::Min) && !left);
    Extreme out{{}, a->exact && b->exact && (apart || is_its_own)};
    for (const Extreme::Case& x : a->cases) {
      for (const Extreme::Case& y : b->cases) {
        out.cases.push_back({x.when && y.when, pool_.make(e.op(), x.value, y.value)});
      }
    }
    return out;
  }

  MaybeExtreme map(MaybeExtreme a, auto f) {
    if (!a) return a;
    for (Extreme::Case& c : a->cases) c.value = f(c.value);
    return a;
  }

  MaybeExtreme of_product(Expr e, bool largest) {
    for (int k : {0, 1}) {
      const Expr fixed = e[std::size_t(k)], other = e[std::size_t(1 - k)];
      if (mask(fixed) != 0) continue;
      const auto times = [&](Expr value) { return value * fixed; };
      if (ranges_.proves_nonnegative(fixed)) return map(extreme(other, largest), times);
      if (ranges_.proves(fixed <= 0)) return map(extreme(other, !largest), times);
    }
    return of_range(e, largest);
  }

  MaybeExtreme of_quotient(Expr e, bool largest) {
    if (mask(e[1]) != 0 || !ranges_.proves(1 <= e[1])) return of_range(e, largest);
    return map(extreme(e[0], largest), [&](Expr value) { return value / e[1]; });
  }

  // (x + h) % d: with r = (x + least) % d the remainders are r, r + s, ..., as far as below d, and
  // then go on from below s: the least of them is r % s, the largest d - s + r % s.
  MaybeExtreme of_remainder(Expr e, bool largest) {
    if (!e[1].is(Op::Const) || e[1].value() < 1) return of_range(e, largest);
    const std::int64_t d = e[1].value();
    const auto p = progression(e[0]);
    if (!p || d % p->step != 0) return of_range(e, largest);
    const Expr x = p->rest + p->least;
    const Expr r = x % d, low = x % p->step;
    const Expr around = largest ? low + (d - p->step) : low;
    if (p->most >= d - p->step) return one(around, p->exact);
    const Expr ahead = largest ? r + p->most : r;
    const Expr fits = r + p->most < pool_.constant(d);
    return Extreme{{{fits, ahead}, {!fits, around}}, p->exact};
  }

  // Whether a variable reaches `hi`, the end of its range, whatever the sizes.
  bool ends_at(Expr v, std::int64_t hi) const {
    const Facts::Symbol* s = ranges_.facts().find(v);
    return s != nullptr && s->hi.valid() && s->hi.is_const(hi);
  }

  MaybeExtreme of_xor(Expr e, bool largest) {
    for (int k : {0, 1}) {
      const Expr x = e[std::size_t(k)], v = e[std::size_t(1 - k)];
      if (mask(x) != 0 || !v.is(Op::Symbol)) continue;
      const Interval r = ranges_.interval(v);
      if (r.lo != 0 || !r.has_hi() || r.hi >= INT64_MAX - 1) continue;
      if (!std::has_single_bit(std::uint64_t(r.hi) + 1)) continue;
      const Expr start = x / (r.hi + 1) * (r.hi + 1);
      return one(largest ? start + r.hi : start, ends_at(v, r.hi));
    }
    return of_range(e, largest);
  }

  // Splits a sum into what is fixed and digits that fit together: sorted by their steps, each step
  // goes on where the digits below it end, or overlaps them.
  std::optional<Progression> progression(Expr e) {
    while (e.is(Op::Let)) e = e[0];
    const LinearSum sum = to_linear(e);
    LinearSum rest = LinearSum::of_constant(sum.constant);
    struct Digit {
      std::int64_t step, most;
    };
    std::vector<Digit> digits;
    Progression p;
    for (const LinearSum::Term& t : sum.terms) {
      if (mask(t.monomial) == 0) {
        rest.terms.push_back(t);
        continue;
      }
      if (!t.monomial.is(Op::Symbol)) return std::nullopt;
      const Interval r = ranges_.interval(t.monomial);
      if (r.lo != 0 || !r.has_hi() || t.coefficient == INT64_MIN) return std::nullopt;
      const auto reach = checked_mul(t.coefficient, r.hi);
      const auto least = reach ? checked_add(p.least, std::min<std::int64_t>(*reach, 0)) : reach;
      if (!least) return std::nullopt;
      p.least = *least;
      p.exact = p.exact && ends_at(t.monomial, r.hi);
      if (r.hi > 0) digits.push_back({std::abs(t.coefficient), std::abs(*reach)});
    }
    if (digits.empty()) return std::nullopt;
    std::sort(digits.begin(), digits.end(),
              [](const Digit& a, const Digit& b) { return a.step < b.step; });
    p.step = digits.front().step;
    for (const Digit& digit : digits) {
      if (digit.step % p.step != 0 || digit.step > p.most + p.step) return std::nullopt;
      const auto most = checked_add(p.most, digit.most);
      if (!most) return std::nullopt;
      p.most = *most;
    }
    p.rest = to_expr(pool_, rest);
    return p;
  }

  std::vector<Expr> inner_;
  Simplifier& ranges_;
  ExprPool& pool_;
  std::unordered_map<std::uint32_t, std::uint64_t> masks_;
};

}  // namespace

std::optional<Extremum> extremum(Expr e, std::span<const Expr> inner, Simplifier& ranges,
                                 bool largest) {
  return Hoister(inner, ranges).extremum(e, largest);
}

Hoisted hoist(Expr condition, std::span<const Expr> inner, Simplifier& ranges) {
  Hoisted result = Hoister(inner, ranges).run(condition);
  result.condition = ranges.simplify(result.condition);
  return result;
}

}  // namespace selvage
