#include <selvage/base/integer.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr int kDeepestRewriting = 40;  // rules within the results of rules

Expr& at(std::array<Expr, kPatternSymbols>& bindings, PatternSymbol s) {
  return bindings[std::size_t(s)];
}

bool is_positive_pattern(std::size_t i) {
  return i >= std::size_t(PatternSymbol::a) && i <= std::size_t(PatternSymbol::c);
}

// x % a or (x / a) % b?
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

// No multiple of d can be taken out of the sum term by term.
bool is_reduced(const LinearSum& sum, std::int64_t d) {
  const auto is_digit = [d](std::int64_t c) { return 0 <= c && c < d; };
  return is_digit(sum.constant) &&
         std::all_of(sum.terms.begin(), sum.terms.end(),
                     [&](const auto& t) { return is_digit(t.coefficient); });
}

}  // namespace

// Tries the rules for e's operator in the table's order; e's operands are simplified already.
Expr Simplifier::apply_rules(Expr e) {
  // Each rule decreases its own weight; that no chain of rules comes round again where divisors are
  // symbolic is not proved, so chains end here.
  if (rewriting_depth_ >= kDeepestRewriting) return e;
  ++rewriting_depth_;
  const Expr result = apply_first(e);
  --rewriting_depth_;
  return result;
}

Expr Simplifier::apply_first(Expr e) {
  for (const Rule* rule : rules_for(e.op())) {
    if (rule->propose == Propose::Structure) {
      Bindings bindings;
      if (!match(rule->before, e, bindings)) continue;
      if (!spend()) return e;
      if (const auto result = apply(*rule, bindings)) return *result;
      continue;
    }
    for (const Bindings& bindings : propose(*rule, e)) {
      if (!spend()) return e;
      if (const auto result = apply(*rule, bindings)) return *result;
    }
  }
  return e;
}

std::optional<Expr> Simplifier::apply(const Rule& rule, const Bindings& bindings) {
  for (std::size_t i = 0; i < kPatternSymbols; ++i) {
    if (!bindings[i].valid() || !is_positive_pattern(i)) continue;
    if (interval(bindings[i]).lo < 1 && !proves_nonnegative(bindings[i] - 1)) return std::nullopt;
  }
  if (const auto decided = decide(rule.when, bindings)) {
    if (!*decided) return std::nullopt;
  } else if (!proves(substitute(rule.when, bindings))) {
    return std::nullopt;
  }
  const Expr result = normalize(substitute(rule.after, bindings));
  count(rule);
  return result;
}

// The values that a pattern's instance can take, with no instance made.
Interval Simplifier::interval(Expr pattern, const Bindings& bindings) {
  if (pattern.is(Op::Symbol)) return interval(bindings[std::size_t(pattern_symbol(pattern))]);
  if (pattern.is(Op::Const)) return Interval::point(pattern.value());
  if (pattern.is(Op::Sub)) {
    return interval(pattern[0], bindings) - interval(pattern[1], bindings);
  }
  return Interval::everything();
}

// Whether a rule's condition holds, where intervals can tell.
std::optional<bool> Simplifier::decide(Expr pattern, const Bindings& bindings) {
  if (pattern.is(Op::Bool)) return pattern.is_true();
  if (pattern.is(Op::And)) {
    const auto a = decide(pattern[0], bindings);
    if (a == false) return a;
    const auto b = decide(pattern[1], bindings);
    return a == true ? b : b == false ? b : std::nullopt;
  }
  if (pattern.is(Op::Eq) && pattern[0].is(Op::Div) && pattern[1].is_const(0)) {
    // x / a == 0 fails where x < a does at some point.
    const Expr a = bindings[std::size_t(pattern_symbol(pattern[0][1]))];
    const LinearSum& x = sum_of(bindings[std::size_t(pattern_symbol(pattern[0][0]))]);
    if (a.is(Op::Const) && has_exact_interval(x)) return interval(x).within(0, a.value() - 1);
    const auto room = add(sum_of(a), x, -1);
    const auto below = room ? add(*room, LinearSum::of_constant(1), -1) : std::nullopt;
    if (!below || is_refuted(x) || is_refuted(*below)) return false;
  }
  if (pattern.is(Op::Lt) || pattern.is(Op::Le)) {
    const Interval a = interval(pattern[0], bindings), b = interval(pattern[1], bindings);
    const bool strict = pattern.is(Op::Lt);
    if (a.has_hi() && b.has_lo() && (strict ? a.hi < b.lo : a.hi <= b.lo)) return true;
    if (a.has_lo() && b.has_hi() && (strict ? a.lo >= b.hi : a.lo > b.hi)) return false;
  }
  return std::nullopt;
}

bool Simplifier::match(Expr pattern, Expr e, Bindings& bindings) const {
  if (pattern.is(Op::Symbol)) {
    Expr& bound = at(bindings, pattern_symbol(pattern));
    if (bound.valid()) return same(bound, e);
    bound = e;
    return true;
  }
  if (pattern.op() != e.op() || pattern.value() != e.value()) return false;
  if (pattern.args().size() != e.args().size()) return false;
  for (std::size_t i = 0; i < pattern.args().size(); ++i) {
    if (!match(pattern[i], e[i], bindings)) return false;
  }
  return true;
}

Expr Simplifier::substitute(Expr pattern, const Bindings& bindings) {
  switch (pattern.op()) {
    case Op::Symbol: return bindings[std::size_t(pattern_symbol(pattern))];
    case Op::Const: return pool().constant(pattern.value());
    case Op::Bool: return pool().truth(pattern.value() != 0);
    case Op::Let:
    case Op::Load:
    case Op::Call:
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::Mod:
    case Op::Min:
    case Op::Max:
    case Op::Xor:
    case Op::Select:
    case Op::Lt:
    case Op::Le:
    case Op::Eq:
    case Op::Not:
    case Op::And:
    case Op::Or: break;
  }
  Expr args[3];
  for (std::size_t i = 0; i < pattern.args().size(); ++i) {
    args[i] = substitute(pattern[i], bindings);
  }
  return pool().make(pattern.op(), std::span<const Expr>(args, pattern.args().size()));
}

Simplifier::Proposals Simplifier::propose(const Rule& rule, Expr e) {
  Proposals out;
  switch (rule.propose) {
    case Propose::Multiple: propose_division(e, out); break;
    case Propose::CommonFactor: propose_common_factor(e, out); break;
    case Propose::Congruent: propose_congruent(e, out); break;
    case Propose::Negative: propose_negative(e, out); break;
    case Propose::InnerDiv:
    case Propose::InnerMod: propose_inner(rule, e, out); break;
    case Propose::InnerQuotient: propose_inner_quotient(e, out); break;
    case Propose::Structure:  // matched as it is
    case Propose::Sum:
    case Propose::Order:
    case Propose::Conjunction: break;  // sums.cpp, order.cpp, conjunction.cpp: they see the whole
  }
  return out;
}

void Simplifier::propose_division(Expr e, Proposals& out) {
  propose_division(sum_of(e[0]), e[1], out);
  if (!out.empty() || !e[1].is(Op::Const) || e[1].value() < 1) return;
  // k*(x % a) as k*x - k*a*(x / a), where that leaves fewer divisions to divide.
  const LinearSum& dividend = sum_of(e[0]);
  for (const auto& [atom, k] : dividend.terms) {
    if (!atom.is(Op::Mod) || !atom[1].is(Op::Const)) continue;
    const auto joined = join(dividend, atom, k);
    const auto division = joined ? divide_terms(pool(), *joined, sum_of(e[1])) : std::nullopt;
    if (division &&
        divisions(division->rest) + 2 <= divisions(dividend) + divisions(sum_of(atom[0]))) {
      propose_division(*joined, e[1], out);
      if (!out.empty()) return;
    }
  }
  propose_division_of_digits(e, out);
}

// Whether a sum is cheaper with a number beside a digit of it, or with its digits apart, was
// decided before it was known what would divide it. What the divisor leaves of the digits may be a
// digit, by the assumptions, where no such thing can be said of the number.
void Simplifier::propose_division_of_digits(Expr e, Proposals& out) {
  constexpr int kMostNumbers = 4;
  const std::int64_t d = e[1].value();
  LinearSum sum = sum_of(e[0]);
  for (int n = 0; n < kMostNumbers; ++n) {
    auto digits = with_a_number_in_digits(sum);
    if (!digits) return;
    sum = *std::move(digits);
    const auto division = divide_terms(pool(), sum, LinearSum::of_constant(d));
    if (!division || division->quotient.is_zero()) continue;
    const LinearSum& rest = division->rest;
    if (!nonnegative(rest, kProofDepth) || !is_below(rest, d)) continue;
    Bindings bindings;
    at(bindings, PatternSymbol::x) = to_expr(pool(), division->quotient);
    at(bindings, PatternSymbol::y) = to_expr(pool(), rest);
    at(bindings, PatternSymbol::a) = e[1];
    out.push_back(bindings);
    return;
  }
}

void Simplifier::propose_division(const LinearSum& dividend, Expr divisor, Proposals& out) {
  if (divisor.is(Op::Const) && is_reduced(dividend, divisor.value())) {
    const Interval range = interval(dividend);
    const std::int64_t d = divisor.value();
    const bool bounded = range.has_lo() && range.has_hi();
    if (!bounded || floor_div(range.lo, d) != floor_div(range.hi, d)) return;
  }
  auto division = divide_terms(pool(), dividend, sum_of(divisor));
  if (!division) return;
  if (const std::int64_t d = divisor.is(Op::Const) ? divisor.value() : 0; d > 0) {
    // What is left may lie within one period of d, but not the first.
    const Interval rest = interval(division->rest);
    if (rest.has_lo() && rest.has_hi() && floor_div(rest.lo, d) == floor_div(rest.hi, d)) {
      const std::int64_t shift = floor_div(rest.lo, d);
      const auto up = checked_add(division->quotient.constant, shift);
      const auto moved = checked_mul(shift, d);
      const auto down = moved ? checked_sub(division->rest.constant, *moved) : std::nullopt;
      if (up && down) {
        division->quotient.constant = *up;
        division->rest.constant = *down;
      }
    } else if (const auto floored = divide_down(dividend, d)) {
      if (interval(floored->rest).within(0, d - 1)) division = floored;
    }
  }
  if (division->quotient.is_zero()) return;
  Bindings bindings;
  at(bindings, PatternSymbol::x) = to_expr(pool(), division->quotient);
  at(bindings, PatternSymbol::y) = to_expr(pool(), division->rest);
  at(bindings, PatternSymbol::a) = divisor;
  out.push_back(bindings);
}

void Simplifier::propose_negative(Expr e, Proposals& out) {
  const LinearSum& divisor = sum_of(e[1]);
  if (divisor.constant > 0 || std::any_of(divisor.terms.begin(), divisor.terms.end(),
                                          [](const auto& t) { return t.coefficient > 0; })) {
    return;
  }
  const auto turned = scale(divisor, -1);
  if (!turned || turned->is_zero()) return;
  Bindings bindings;
  at(bindings, PatternSymbol::x) = e[0];
  at(bindings, PatternSymbol::a) = to_expr(pool(), *turned);
  out.push_back(bindings);
}

void Simplifier::propose_common_factor(Expr e, Proposals& out) {
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
        const auto others = divide_monomial(pool(), monomial, atoms[i]);
        if (others && others->valid()) factors.push_back(LinearSum::of_atom(*others));
      }
    }
  }
  for (const LinearSum& b : factors) {
    const auto whole = divide_terms(pool(), divisor, b);
    auto part = divide_terms(pool(), dividend, b);
    if (!whole || !whole->rest.is_zero() || !part || part->quotient.is_zero()) continue;
    if (b.is_constant()) {
      // Move whole multiples of b so that what is left starts within [0, b).
      const Interval rest = interval(part->rest);
      if (!rest.has_lo()) continue;
      const std::int64_t shift = floor_div(rest.lo, b.constant);
      const auto up = checked_add(part->quotient.constant, shift);
      const auto moved = checked_mul(shift, b.constant);
      const auto down = moved ? checked_sub(part->rest.constant, *moved) : std::nullopt;
      if (!up || !down) continue;
      part->quotient.constant = *up;
      part->rest.constant = *down;
    }
    Bindings bindings;
    at(bindings, PatternSymbol::x) = to_expr(pool(), part->quotient);
    at(bindings, PatternSymbol::y) = to_expr(pool(), part->rest);
    at(bindings, PatternSymbol::a) = to_expr(pool(), whole->quotient);
    at(bindings, PatternSymbol::b) = to_expr(pool(), b);
    out.push_back(bindings);
  }
}

void Simplifier::propose_congruent(Expr e, Proposals& out) {
  if (!e[1].is(Op::Const) || e[1].value() < 1) return;
  const std::int64_t d = e[1].value();
  LinearSum divisible, rest;
  const LinearSum& dividend = sum_of(e[0]);
  rest.constant = dividend.constant;
  for (const auto& t : dividend.terms) {
    const Congruence c = congruence(t.monomial) * Congruence::point(t.coefficient);
    const std::int64_t remains = *euclid_mod(c.residue, d);
    // In a remainder a term that always leaves the same counts as what it leaves.
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
  Bindings bindings;
  at(bindings, PatternSymbol::x) = to_expr(pool(), divisible);
  at(bindings, PatternSymbol::y) = to_expr(pool(), rest);
  at(bindings, PatternSymbol::a) = e[1];
  out.push_back(bindings);
}

std::optional<LinearSum> Simplifier::exact_quotient(const LinearSum& a, const LinearSum& b) {
  auto division = divide_terms(pool(), a, b);
  if (!division || division->quotient.is_zero() || !division->rest.is_zero()) return std::nullopt;
  return std::move(division->quotient);
}

// coefficient*others = z*b, period = a*c and divisor = b*c.
bool Simplifier::bind_multiple(std::int64_t coefficient, Expr others, Expr period, Expr divisor,
                               Bindings& bindings) {
  LinearSum z = LinearSum::of_constant(coefficient);
  if (others.valid()) z = {{{others, coefficient}}, 0};
  LinearSum b = LinearSum::of_constant(1), c = sum_of(divisor);
  auto a = exact_quotient(sum_of(period), c);
  if (!a) {
    // What divides the coefficient is taken from the divisor.
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
  at(bindings, PatternSymbol::z) = to_expr(pool(), z);
  at(bindings, PatternSymbol::a) = to_expr(pool(), *a);
  at(bindings, PatternSymbol::b) = to_expr(pool(), b);
  at(bindings, PatternSymbol::c) = to_expr(pool(), c);
  return true;
}

// ((z*c*(x % (a*b)) + y) / b) % c
void Simplifier::propose_inner_quotient(Expr e, Proposals& out) {
  if (!e[0].is(Op::Div)) return;
  const LinearSum& dividend = sum_of(e[0][0]);
  for (std::size_t i = 0; i < dividend.terms.size(); ++i) {
    const auto& [monomial, coefficient] = dividend.terms[i];
    for (Expr atom : atoms_of(monomial)) {
      if (!atom.is(Op::Mod)) continue;
      const auto others = divide_monomial(pool(), monomial, atom);
      LinearSum factor = LinearSum::of_constant(coefficient);
      if (others->valid()) factor = {{{*others, coefficient}}, 0};
      const auto z = exact_quotient(factor, sum_of(e[1]));
      const auto a = exact_quotient(sum_of(atom[1]), sum_of(e[0][1]));
      if (!z || !a) continue;
      LinearSum rest = dividend;
      rest.terms.erase(rest.terms.begin() + std::ptrdiff_t(i));
      Bindings bindings;
      at(bindings, PatternSymbol::x) = atom[0];
      at(bindings, PatternSymbol::y) = to_expr(pool(), rest);
      at(bindings, PatternSymbol::z) = to_expr(pool(), *z);
      at(bindings, PatternSymbol::a) = to_expr(pool(), *a);
      at(bindings, PatternSymbol::b) = e[0][1];
      at(bindings, PatternSymbol::c) = e[1];
      out.push_back(bindings);
    }
  }
}

void Simplifier::propose_inner(const Rule& rule, Expr e, Proposals& out) {
  const Op inner = rule.propose == Propose::InnerDiv ? Op::Div : Op::Mod;
  const LinearSum& dividend = sum_of(e[0]);
  for (std::size_t i = 0; i < dividend.terms.size(); ++i) {
    const auto& [monomial, coefficient] = dividend.terms[i];
    for (Expr atom : atoms_of(monomial)) {
      if (!atom.is(inner)) continue;
      const auto others = divide_monomial(pool(), monomial, atom);
      Bindings bindings;
      at(bindings, PatternSymbol::x) = atom[0];
      LinearSum rest = dividend;
      rest.terms.erase(rest.terms.begin() + std::ptrdiff_t(i));
      at(bindings, PatternSymbol::y) = to_expr(pool(), rest);
      if (inner == Op::Div) {
        if (coefficient != 1 || others->valid() || rest.terms.size() > 2) continue;
        if (has_remainder_of(atom[0], rest)) continue;  // x's digits stay digits
        const auto scaled = multiply(rest, sum_of(atom[1]));
        const auto whole = scaled ? add(*scaled, sum_of(atom[0])) : std::nullopt;
        if (!whole || width(*whole) > std::max(width(dividend), width(sum_of(atom[0])))) continue;
        at(bindings, PatternSymbol::a) = atom[1];
        at(bindings, PatternSymbol::b) = e[1];
      } else {
        if (has_quotient_of(atom[0], rest)) continue;  // x's digits stay digits
        const bool alone = rest.is_zero() && coefficient == 1 && !others->valid();
        if (e.is(Op::Div) && !alone) continue;
        if (e.is(Op::Div)) {
          const auto a = exact_quotient(sum_of(atom[1]), sum_of(e[1]));
          if (!a) continue;
          at(bindings, PatternSymbol::a) = to_expr(pool(), *a);
          at(bindings, PatternSymbol::b) = e[1];
        } else if (!bind_multiple(coefficient, *others, atom[1], e[1], bindings)) {
          continue;
        }
      }
      out.push_back(bindings);
    }
  }
}

}  // namespace selvage
