#include <selvage/base/integer.h>
#include <selvage/base/work.h>
#include <selvage/expr/apply.h>
#include <selvage/simplifier/parts.h>

namespace selvage {

Interval ValueBounds::interval(Expr e) {
  if (e.depth() > Simplifier::kDeepest) return Interval::everything();
  std::optional<Interval>& memo = known_[e].interval;
  if (memo) return *memo;
  if (e.is(Op::Let) || e.depth() > kDeep) {
    ask_below(
        e, [this](Expr n) { return known_[n].interval.has_value(); },
        [this](Expr n) { interval(n); });
  }
  const Interval range = compute_interval(e);
  const std::optional<Interval>& narrowed = known_[e].narrowed;
  memo = narrowed ? intersect(range, *narrowed) : range;
  return *memo;
}

void ValueBounds::narrow_to(Expr e, const Interval& range) {
  known_[e].narrowed = range;
  const bool digit = e.is(Op::Mod) && e[0].is(Op::Symbol) && e[1].is(Op::Const);
  if (range.is_point() && digit && e[1].value() > 0) {
    facts_.congruent(e[0], e[1].value(), range.lo);
    known_.each([](Known& k) { k.congruence.reset(); });
  }
  known_.each([](Known& k) { k.interval.reset(); });
}

Interval ValueBounds::compute_interval(Expr e) {
  if (e.is(Op::Const) || e.is(Op::Bool)) return Interval::point(e.value());
  if (e.is(Op::Symbol)) {
    const Facts::Symbol* s = facts_.find(e);
    if (s == nullptr) return Interval::everything();
    Interval range = s->range;
    if (s->lo.valid() && !s->lo.is(Op::Const)) range.lo = std::max(range.lo, interval(s->lo).lo);
    if (s->hi.valid() && !s->hi.is(Op::Const)) range.hi = std::min(range.hi, interval(s->hi).hi);
    // `min: 1, multiple_of: 4` starts at 4.
    return tightened(range, s->congruence);
  }
  if (e.is(Op::Load) || e.is(Op::Call)) return Interval::everything();
  if (info(e.op()).result == Result::Truth) return {0, 1};
  if (e.is(Op::Add) || e.is(Op::Sub) || e.is(Op::Mul)) {
    const LinearSum& sum = structure_.sum_of(e);
    // A sum that would overflow when multiplied out is its own only term.
    if (sum.terms.size() != 1 || !same(sum.terms[0].monomial, e)) return interval(sum);
  }
  Interval operands[3];
  for (std::size_t i = 0; i < e.args().size(); ++i) operands[i] = interval(e[i]);
  return selvage::apply(e.op(), operands[0], operands[1], operands[2]);
}

namespace {

// The position, at `from` or later, of the term x % a if `quotient` is x / a, or of (x / a) % b if
// `quotient` is x / (a*b). sum.terms.size() if there is none.
std::size_t find_lower_digit(const LinearSum& sum, Expr quotient, std::size_t from) {
  if (!quotient[1].is(Op::Const)) return sum.terms.size();
  for (std::size_t i = from; i < sum.terms.size(); ++i) {
    const Expr digit = sum.terms[i].monomial;
    if (!digit.is(Op::Mod) || !digit[1].is(Op::Const) || digit[1].value() < 1) continue;
    const Expr x = digit[0];
    const std::int64_t a = digit[1].value(), d = quotient[1].value();
    if (same(x, quotient[0]) && a == d) return i;
    if (x.is(Op::Div) && same(x[0], quotient[0]) && x[1].is(Op::Const) && d % a == 0 &&
        x[1].value() == d / a) {
      return i;
    }
  }
  return sum.terms.size();
}

}  // namespace

// The exact range of low*(x % a) + high*(x / a) for x in interval(x): the ends lie at corners of
// the staircase of points (x / a, x % a).
Interval ValueBounds::interval_of_digits(Expr x, std::int64_t a, std::int64_t low,
                                         std::int64_t high) {
  const Interval range = interval(x);
  if (!range.has_lo() || !range.has_hi()) return Interval::everything();
  const std::int64_t first = floor_div(range.lo, a), last = floor_div(range.hi, a);
  const auto row = [&](std::int64_t q) {
    const std::int64_t from = q == first ? *euclid_mod(range.lo, a) : 0;
    const std::int64_t to = q == last ? *euclid_mod(range.hi, a) : a - 1;
    return Interval{from, to} * Interval::point(low) + Interval::point(q) * Interval::point(high);
  };
  Interval total = hull(row(first), row(last));
  const bool between = last > first && std::uint64_t(last) - std::uint64_t(first) >= 2;
  if (between) total = hull(total, hull(row(first + 1), row(last - 1)));
  return total;
}

Interval ValueBounds::interval(const LinearSum& sum) {
  count_work(1 + sum.terms.size());
  Interval total = Interval::point(sum.constant);
  std::array<bool, kMostTerms> counted{};  // together with another term
  for (std::size_t i = 0; i < sum.terms.size(); ++i) {
    const auto& t = sum.terms[i];
    if (counted[i]) continue;
    if (t.monomial.is(Op::Div)) {
      const std::size_t low = find_lower_digit(sum, t.monomial, i + 1);
      if (low < sum.terms.size()) {
        const auto& [digit, coefficient] = sum.terms[low];
        total = total + interval_of_digits(digit[0], digit[1].value(), coefficient, t.coefficient);
        counted[low] = true;
        continue;
      }
    }
    Interval product = Interval::point(t.coefficient);
    for (Expr m = t.monomial;; m = m[0]) {
      product = product * interval(m.is(Op::Mul) ? m[1] : m);
      if (!m.is(Op::Mul)) break;
    }
    total = total + product;
  }
  return total;
}

Width ValueBounds::width(const LinearSum& sum) {
  Width widest = Width::Int32;
  const auto take = [&](const Interval& i) { widest = std::max(widest, width_of(i)); };
  Interval total = Interval::point(0);
  for (const auto& t : sum.terms) {
    const Interval term = interval(LinearSum{{t}, 0});
    total = total + term;
    take(term);
    take(total);
  }
  take(total + Interval::point(sum.constant));
  return widest;
}

Congruence ValueBounds::congruence(Expr e) {
  if (e.depth() > Simplifier::kDeepest) return Congruence::everything();
  std::optional<Congruence>& memo = known_[e].congruence;
  if (!memo && e.depth() > kDeep) {
    ask_below(
        e, [this](Expr n) { return known_[n].congruence.has_value(); },
        [this](Expr n) { congruence(n); });
  }
  if (!memo) memo = compute_congruence(e);
  return *memo;
}

Congruence ValueBounds::compute_congruence(Expr e) {
  if (e.is(Op::Const)) return Congruence::point(e.value());
  if (e.is(Op::Symbol)) {
    const Facts::Symbol* s = facts_.find(e);
    return s == nullptr ? Congruence::everything() : s->congruence;
  }
  // The definition of a Let may be deeper than the stack allows.
  const bool is_known =
      info(e.op()).result == Result::Int && !e.is(Op::Let) && !e.is(Op::Load) && !e.is(Op::Call);
  if (!is_known) return Congruence::everything();
  if (e.is(Op::Add) || e.is(Op::Sub) || e.is(Op::Mul)) {
    const LinearSum& sum = structure_.sum_of(e);
    if (sum.terms.size() != 1 || !same(sum.terms[0].monomial, e)) return congruence(sum);
  }
  Congruence operands[3];
  for (std::size_t i = 0; i < e.args().size(); ++i) operands[i] = congruence(e[i]);
  return selvage::apply(e.op(), operands[0], operands[1], operands[2]);
}

Congruence ValueBounds::congruence(const LinearSum& sum) {
  Congruence total = Congruence::point(sum.constant);
  for (const auto& t : sum.terms) {
    Congruence product = Congruence::point(t.coefficient);
    for (Expr m = t.monomial;; m = m[0]) {
      product = product * congruence(m.is(Op::Mul) ? m[1] : m);
      if (!m.is(Op::Mul)) break;
    }
    total = total + product;
  }
  return total;
}

}  // namespace selvage
