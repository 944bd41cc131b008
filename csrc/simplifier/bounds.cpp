#include <selvage/base/integer.h>
#include <selvage/simplifier/simplifier.h>

namespace selvage {

Interval Simplifier::interval(Expr e) {
  std::optional<Interval>& memo = intervals_[e];
  if (memo) return *memo;
  if (e.is(Op::Let)) {
    // Lets can stack without end: what is not known yet, from the bottom up.
    for (Expr n : unknown_below(e, [&](Expr n) { return intervals_[n].has_value(); })) {
      if (!same(n, e)) interval(n);
    }
  }
  memo = compute_interval(e);
  return *memo;
}

Interval Simplifier::compute_interval(Expr e) {
  switch (e.op()) {
    case Op::Const:
    case Op::Bool: return Interval::point(e.value());
    case Op::Symbol: {
      const Facts::Symbol* s = facts_.find(e);
      if (s == nullptr) return Interval::everything();
      Interval range = s->range;
      if (s->lo.valid() && !s->lo.is(Op::Const)) range.lo = std::max(range.lo, interval(s->lo).lo);
      if (s->hi.valid() && !s->hi.is(Op::Const)) range.hi = std::min(range.hi, interval(s->hi).hi);
      if (const auto [m, r] = s->congruence; m > 1) {
        // The first and the last member of the class: `min: 1, multiple_of: 4` starts at 4.
        if (range.has_lo())
          range.lo = saturating_add(range.lo, *euclid_mod(r - *euclid_mod(range.lo, m), m));
        if (range.has_hi())
          range.hi = saturating_add(range.hi, -*euclid_mod(*euclid_mod(range.hi, m) - r, m));
      }
      return range;
    }
    case Op::Let: return interval(e[0]);
    case Op::Add:
    case Op::Sub:
    case Op::Mul: {
      const LinearSum& sum = sum_of(e);
      if (sum.terms.size() != 1 || !same(sum.terms[0].monomial, e)) return interval(sum);
      // As a sum it would overflow.
      const Interval a = interval(e[0]), b = interval(e[1]);
      return e.is(Op::Add) ? a + b : e.is(Op::Sub) ? a - b : a * b;
    }
    case Op::Div: return interval(e[0]) / interval(e[1]);
    case Op::Mod: return interval(e[0]) % interval(e[1]);
    case Op::Min: return min(interval(e[0]), interval(e[1]));
    case Op::Max: return max(interval(e[0]), interval(e[1]));
    case Op::Xor: return interval(e[0]) ^ interval(e[1]);
    case Op::Select: return hull(interval(e[1]), interval(e[2]));
    case Op::Load:
    case Op::Call: return Interval::everything();
    case Op::Lt:
    case Op::Le:
    case Op::Eq:
    case Op::Not:
    case Op::And:
    case Op::Or: return {0, 1};
  }
  return Interval::everything();
}

Interval Simplifier::interval(const LinearSum& sum) {
  Interval total = Interval::point(sum.constant);
  for (const auto& t : sum.terms) {
    Interval product = Interval::point(t.coefficient);
    for (Expr m = t.monomial;; m = m[0]) {
      product = product * interval(m.is(Op::Mul) ? m[1] : m);
      if (!m.is(Op::Mul)) break;
    }
    total = total + product;
  }
  return total;
}

Congruence Simplifier::congruence(Expr e) {
  std::optional<Congruence>& memo = congruences_[e];
  if (!memo) memo = compute_congruence(e);
  return *memo;
}

Congruence Simplifier::compute_congruence(Expr e) {
  switch (e.op()) {
    case Op::Const: return Congruence::point(e.value());
    case Op::Symbol: {
      const Facts::Symbol* s = facts_.find(e);
      return s == nullptr ? Congruence::everything() : s->congruence;
    }
    case Op::Add:
    case Op::Sub:
    case Op::Mul: {
      const LinearSum& sum = sum_of(e);
      if (sum.terms.size() != 1 || !same(sum.terms[0].monomial, e)) return congruence(sum);
      const Congruence a = congruence(e[0]), b = congruence(e[1]);
      return e.is(Op::Add) ? a + b : e.is(Op::Sub) ? a - b : a * b;
    }
    case Op::Div:
      if (e[1].is(Op::Const) && e[1].value() > 0) return divide(congruence(e[0]), e[1].value());
      return Congruence::everything();
    case Op::Mod:
      if (e[1].is(Op::Const) && e[1].value() > 0) return remainder(congruence(e[0]), e[1].value());
      return Congruence::everything();
    case Op::Min:
    case Op::Max: return hull(congruence(e[0]), congruence(e[1]));
    case Op::Select: return hull(congruence(e[1]), congruence(e[2]));
    case Op::Let:  // a definition may be as deep as the stack is not
    case Op::Bool:
    case Op::Xor:
    case Op::Load:
    case Op::Call:
    case Op::Lt:
    case Op::Le:
    case Op::Eq:
    case Op::Not:
    case Op::And:
    case Op::Or: return Congruence::everything();
  }
  return Congruence::everything();
}

Congruence Simplifier::congruence(const LinearSum& sum) {
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
