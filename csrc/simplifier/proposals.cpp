#include <selvage/base/integer.h>
#include <selvage/simplifier/parts.h>

#include <algorithm>

namespace selvage {

namespace {

// Whether the sum has x % a or (x / a) % b, for any a and b.
bool has_remainder_of(Expr x, const LinearSum& sum) {
  return std::any_of(sum.terms.begin(), sum.terms.end(), [&](const auto& t) {
    if (!t.monomial.is(Op::Mod)) return false;
    const Expr y = t.monomial[0];
    return same(y, x) || (y.is(Op::Div) && same(y[0], x));
  });
}

bool has_quotient_of(Expr x, const LinearSum& sum) {
  return std::any_of(sum.terms.begin(), sum.terms.end(), [&](const auto& t) {
    return t.monomial.is(Op::Div) && same(t.monomial[0], x);
  });
}

// Whether no multiple of d can be taken out of the sum term by term.
bool is_reduced(const LinearSum& sum, std::int64_t d) {
  const auto is_digit = [d](std::int64_t c) { return 0 <= c && c < d; };
  return is_digit(sum.constant) &&
         std::all_of(sum.terms.begin(), sum.terms.end(),
                     [&](const auto& t) { return is_digit(t.coefficient); });
}

// Whether all these values have one quotient by d.
bool has_one_quotient(const Interval& values, std::int64_t d) {
  return values.has_lo() && values.has_hi() && floor_div(values.lo, d) == floor_div(values.hi, d);
}

// Moves whole multiples of d from the rest into the quotient, so that the least value of the rest,
// `lowest` before, lies within [0, d). False, with nothing moved, if a number would overflow.
bool move_multiples(Division& division, std::int64_t lowest, std::int64_t d) {
  const std::int64_t shift = floor_div(lowest, d);
  const auto up = checked_add(division.quotient.constant, shift);
  const auto moved = checked_mul(shift, d);
  const auto down = moved ? checked_sub(division.rest.constant, *moved) : std::nullopt;
  if (!up || !down) return false;
  division.quotient.constant = *up;
  division.rest.constant = *down;
  return true;
}

}  // namespace

Proposer::Proposer(SimplifierParts& parts)
    : SimplifierPart(parts), prover_(parts.prover), digits_(parts.digits) {}

Proposals Proposer::propose(const Rule& rule, Expr e) {
  Proposals out;
  switch (rule.propose) {
    case Propose::Multiple: propose_multiple(e, out); break;
    case Propose::CommonFactor: propose_common_factor(e, out); break;
    case Propose::Congruent: propose_congruent(e, out); break;
    case Propose::Negative: propose_negative(e, out); break;
    case Propose::InnerDiv:
    case Propose::InnerMod: propose_inner(rule, e, out); break;
    case Propose::InnerQuotient: propose_inner_quotient(e, out); break;
    case Propose::Structure:  // matched as it is
    case Propose::Sum:
    case Propose::Order:
    case Propose::Conjunction:
      break;  // applied by Recomposition, Comparisons and Conjunctions, to the whole
  }
  return out;
}

// x: the quotient, y: the rest, a: the divisor.
Bindings Proposer::bind(const Division& division, Expr divisor) {
  Bindings bindings;
  bindings[PatternSymbol::x] = to_expr(pool_, division.quotient);
  bindings[PatternSymbol::y] = to_expr(pool_, division.rest);
  bindings[PatternSymbol::a] = divisor;
  return bindings;
}

void Proposer::propose_multiple(Expr e, Proposals& out) {
  propose_multiple(sum_of(e[0]), e[1], out);
  if (!out.empty() || !e[1].is(Op::Const) || e[1].value() < 1) return;
  // k*(x % a) as k*x - k*a*(x / a), where that leaves fewer divisions to divide.
  const LinearSum& dividend = sum_of(e[0]);
  for (const auto& [atom, k] : dividend.terms) {
    if (!atom.is(Op::Mod) || !atom[1].is(Op::Const)) continue;
    const auto joined = digits_.join(dividend, atom, k);
    const auto division = joined ? divide_terms(pool_, *joined, sum_of(e[1])) : std::nullopt;
    if (division &&
        divisions(division->rest) + 2 <= divisions(dividend) + divisions(sum_of(atom[0]))) {
      propose_multiple(*joined, e[1], out);
      if (!out.empty()) return;
    }
  }
  propose_multiple_of_digits(e, out);
}

// Proposes the division of a dividend with some numbers replaced by their digits, if the rest is
// proved to be a digit by d. The normal form was chosen without knowing the divisor. Assumptions
// may bound a rest of digits where they do not bound one with the whole number.
void Proposer::propose_multiple_of_digits(Expr e, Proposals& out) {
  constexpr int kMostNumbers = 4;
  const std::int64_t d = e[1].value();
  LinearSum sum = sum_of(e[0]);
  for (int n = 0; n < kMostNumbers; ++n) {
    auto digits = digits_.with_a_number_in_digits(sum);
    if (!digits) return;
    sum = *std::move(digits);
    const auto division = divide_terms(pool_, sum, LinearSum::of_constant(d));
    if (!division || division->quotient.is_zero()) continue;
    if (!prover_.nonnegative(division->rest) || !prover_.is_below(division->rest, d)) continue;
    out.push_back(bind(*division, e[1]));
    return;
  }
}

void Proposer::propose_multiple(const LinearSum& dividend, Expr divisor, Proposals& out) {
  if (divisor.is(Op::Const) && is_reduced(dividend, divisor.value()) &&
      !has_one_quotient(interval(dividend), divisor.value())) {
    return;
  }
  auto division = divide_terms(pool_, dividend, sum_of(divisor));
  if (!division) return;
  if (const std::int64_t d = divisor.is(Op::Const) ? divisor.value() : 0; d > 0) {
    // The rest may lie within one period of d other than the first.
    const Interval rest = interval(division->rest);
    if (has_one_quotient(rest, d)) {
      move_multiples(*division, rest.lo, d);
    } else if (const auto floored = divide_down(dividend, d)) {
      if (interval(floored->rest).within(0, d - 1)) division = floored;
    }
  }
  if (!division->quotient.is_zero()) out.push_back(bind(*division, divisor));
}

void Proposer::propose_negative(Expr e, Proposals& out) {
  const LinearSum& divisor = sum_of(e[1]);
  if (divisor.constant > 0 || std::any_of(divisor.terms.begin(), divisor.terms.end(),
                                          [](const auto& t) { return t.coefficient > 0; })) {
    return;
  }
  const auto turned = scale(divisor, -1);
  if (!turned || turned->is_zero()) return;
  Bindings bindings;
  bindings[PatternSymbol::x] = e[0];
  bindings[PatternSymbol::a] = to_expr(pool_, *turned);
  out.push_back(bindings);
}

void Proposer::propose_common_factor(Expr e, Proposals& out) {
  const LinearSum &dividend = sum_of(e[0]), &divisor = sum_of(e[1]);
  std::vector<LinearSum, Recycling<LinearSum>> factors;
  if (divisor.is_constant()) {
    std::vector<std::int64_t, Recycling<std::int64_t>> gcds;
    for (const auto& t : dividend.terms) {
      if (t.coefficient == INT64_MIN) continue;
      const std::int64_t g = common_divisor(t.coefficient, divisor.constant);
      if (g > 1 && g < divisor.constant) gcds.push_back(g);
    }
    std::sort(gcds.rbegin(), gcds.rend());
    gcds.erase(std::unique(gcds.begin(), gcds.end()), gcds.end());
    for (const std::int64_t g : gcds) factors.push_back(LinearSum::of_constant(g));
  } else if (divisor.terms.size() == 1 && divisor.constant == 0) {
    const auto& [monomial, coefficient] = divisor.terms.front();
    if (coefficient > 1) factors.push_back(LinearSum::of_constant(coefficient));
    const Atoms atoms = atoms_of(monomial);
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      if (i > 0 && same(atoms[i], atoms[i - 1])) continue;
      factors.push_back(LinearSum::of_atom(atoms[i]));
      if (atoms.size() > 2) {
        const auto others = divide_monomial(pool_, monomial, atoms[i]);
        if (others && others->valid()) factors.push_back(LinearSum::of_atom(*others));
      }
    }
  }
  for (const LinearSum& b : factors) {
    const auto whole = divide_terms(pool_, divisor, b);
    auto part = divide_terms(pool_, dividend, b);
    if (!whole || !whole->rest.is_zero() || !part || part->quotient.is_zero()) continue;
    if (b.is_constant()) {
      const Interval rest = interval(part->rest);
      if (!rest.has_lo() || !move_multiples(*part, rest.lo, b.constant)) continue;
    }
    Bindings bindings = bind(*part, {});
    bindings[PatternSymbol::a] = to_expr(pool_, whole->quotient);
    bindings[PatternSymbol::b] = to_expr(pool_, b);
    out.push_back(bindings);
  }
}

void Proposer::propose_congruent(Expr e, Proposals& out) {
  if (!e[1].is(Op::Const) || e[1].value() < 1) return;
  const std::int64_t d = e[1].value();
  Division division;  // `quotient` takes the terms that d divides
  LinearSum &divisible = division.quotient, &rest = division.rest;
  const LinearSum& dividend = sum_of(e[0]);
  rest.constant = dividend.constant;
  for (const auto& t : dividend.terms) {
    const Congruence c = bounds_.congruence(t.monomial) * Congruence::point(t.coefficient);
    const std::int64_t remains = *euclid_mod(c.residue, d);
    // In a remainder, a term whose own remainder is always the same counts as that number.
    const bool known = c.decides(d) && (remains == 0 || e.is(Op::Mod));
    const auto less = checked_sub(divisible.constant, remains);
    const auto more = checked_add(rest.constant, remains);
    if (!known || !less || !more) {
      rest.terms.push_back(t);
      continue;
    }
    divisible.terms.push_back(t);
    divisible.constant = *less;
    rest.constant = *more;
  }
  if (divisible.is_zero() || (e.is(Op::Div) && rest.is_zero())) return;
  out.push_back(bind(division, e[1]));
}

std::optional<LinearSum> Proposer::exact_quotient(const LinearSum& a, const LinearSum& b) {
  auto division = divide_terms(pool_, a, b);
  if (!division || division->quotient.is_zero() || !division->rest.is_zero()) return std::nullopt;
  return std::move(division->quotient);
}

// ((z*c*(x % (a*b)) + y) / b) % c
void Proposer::propose_inner_quotient(Expr e, Proposals& out) {
  if (!e[0].is(Op::Div)) return;
  const LinearSum& dividend = sum_of(e[0][0]);
  for (std::size_t i = 0; i < dividend.terms.size(); ++i) {
    const auto& [monomial, coefficient] = dividend.terms[i];
    for (Expr atom : atoms_of(monomial)) {
      if (!atom.is(Op::Mod)) continue;
      const auto others = divide_monomial(pool_, monomial, atom);
      const LinearSum factor = LinearSum::of_term(coefficient, *others);
      const auto z = exact_quotient(factor, sum_of(e[1]));
      const auto a = exact_quotient(sum_of(atom[1]), sum_of(e[0][1]));
      if (!z || !a) continue;
      Bindings bindings;
      bindings[PatternSymbol::x] = atom[0];
      bindings[PatternSymbol::y] = to_expr(pool_, without_term(dividend, i));
      bindings[PatternSymbol::z] = to_expr(pool_, *z);
      bindings[PatternSymbol::a] = to_expr(pool_, *a);
      bindings[PatternSymbol::b] = e[0][1];
      bindings[PatternSymbol::c] = e[1];
      out.push_back(bindings);
    }
  }
}

void Proposer::propose_inner(const Rule& rule, Expr e, Proposals& out) {
  const Op inner = rule.propose == Propose::InnerDiv ? Op::Div : Op::Mod;
  const LinearSum& dividend = sum_of(e[0]);
  for (std::size_t i = 0; i < dividend.terms.size(); ++i) {
    const auto& [monomial, coefficient] = dividend.terms[i];
    for (Expr atom : atoms_of(monomial)) {
      if (!atom.is(inner)) continue;
      const auto others = divide_monomial(pool_, monomial, atom);
      const bool is_term = coefficient == 1 && !others->valid();
      const LinearSum rest = without_term(dividend, i);
      Bindings bindings;
      bindings[PatternSymbol::x] = atom[0];
      bindings[PatternSymbol::y] = to_expr(pool_, rest);
      if (inner == Op::Div) {
        if (!is_term || rest.terms.size() > 2) continue;
        if (has_remainder_of(atom[0], rest)) continue;  // x's digits stay digits
        const LinearSum& x = sum_of(atom[0]);
        const auto scaled = multiply(rest, sum_of(atom[1]));
        const auto whole = scaled ? add(*scaled, x) : std::nullopt;
        if (!whole || !bounds_.fits(*whole, dividend, x)) continue;
        bindings[PatternSymbol::a] = atom[1];
        bindings[PatternSymbol::b] = e[1];
      } else if (has_quotient_of(atom[0], rest)) {
        continue;  // x's digits stay digits
      } else if (e.is(Op::Div)) {
        if (!is_term || !rest.is_zero()) continue;
        const auto a = exact_quotient(sum_of(atom[1]), sum_of(e[1]));
        if (!a) continue;
        bindings[PatternSymbol::a] = to_expr(pool_, *a);
        bindings[PatternSymbol::b] = e[1];
      } else if (!bind_multiple(coefficient, *others, atom[1], e[1], bindings)) {
        continue;
      }
      out.push_back(bindings);
    }
  }
}

// Binds z, a, b and c: coefficient*others = z*b, period = a*c, divisor = b*c. False: not found.
bool Proposer::bind_multiple(std::int64_t coefficient, Expr others, Expr period, Expr divisor,
                             Bindings& bindings) {
  LinearSum z = LinearSum::of_term(coefficient, others);
  LinearSum b = LinearSum::of_constant(1), c = sum_of(divisor);
  auto a = exact_quotient(sum_of(period), c);
  if (!a) {
    // b is a common divisor of the coefficient and the divisor.
    const std::int64_t g = common_divisor(coefficient, c.is_constant() ? c.constant : content(c));
    if (g < 2 || coefficient == INT64_MIN) return false;
    b = LinearSum::of_constant(c.is_constant() ? common_divisor(g, c.constant) : g);
    const auto left = exact_quotient(c, b);
    a = left ? exact_quotient(sum_of(period), *left) : std::nullopt;
    const auto rest = exact_quotient(z, b);
    if (!a || !rest) return false;
    c = *left;
    z = *rest;
  }
  bindings[PatternSymbol::z] = to_expr(pool_, z);
  bindings[PatternSymbol::a] = to_expr(pool_, *a);
  bindings[PatternSymbol::b] = to_expr(pool_, b);
  bindings[PatternSymbol::c] = to_expr(pool_, c);
  return true;
}

}  // namespace selvage
