#include <selvage/simplifier/simplifier.h>

#include <algorithm>
#include <numeric>

namespace selvage {

namespace {

LinearSum term(std::int64_t coefficient, Expr monomial) {
  if (!monomial.valid()) return LinearSum::of_constant(coefficient);
  return {{{monomial, coefficient}}, 0};
}

}  // namespace

// What an expression costs to compute: divisions dear, then products, then the rest.
int Simplifier::cost(Expr e) {
  constexpr int kMost = 1 << 24;
  int& memo = costs_[e];
  if (memo != 0 || e.args().empty() || e.is(Op::Let)) return memo;
  int total = e.is(Op::Div) || e.is(Op::Mod) ? 10 : e.is(Op::Mul) ? 3 : 1;
  for (Expr a : e.args()) total = std::min(kMost, total + cost(a));
  return memo = total;
}

std::int64_t Simplifier::cost(const LinearSum& sum) {
  std::int64_t total = sum.constant != 0 ? 1 : 0;
  for (const auto& t : sum.terms) {
    total += (t.coefficient == 1 || t.coefficient == -1 ? 1 : 4) + cost(t.monomial);
  }
  return total;
}

// Looks for terms that belong together, e.g. x/4*4 + x%4; false when there are none left.
bool Simplifier::recompose(LinearSum& sum) {
  bool quotients = false;
  for (std::size_t i = 0; i < sum.terms.size(); ++i) {
    for (Expr m = sum.terms[i].monomial;; m = m[0]) {
      const Expr atom = m.is(Op::Mul) ? m[1] : m;
      if (atom.is(Op::Mod) && (recompose_remainder(sum, i) || recompose_digits(sum, i))) {
        return true;
      }
      quotients = quotients || atom.is(Op::Div);
      if (!m.is(Op::Mul)) break;
    }
  }
  for (std::size_t i = 0; quotients && i < sum.terms.size(); ++i) {
    if (recompose_quotient(sum, i)) return true;
  }
  return false;
}

bool Simplifier::replace_terms(LinearSum& sum, const LinearSum& out, const LinearSum& in,
                               std::string_view name) {
  const auto less = add(sum, out, -1);
  const auto result = less ? add(*less, in) : std::nullopt;
  if (!result || cost(*result) >= cost(sum)) return false;
  sum = *result;
  count(rule(name));
  return true;
}

// k*(x % a) is k*x - k*a*(x / a): worth it where the sum holds the last term the other way round.
bool Simplifier::recompose_remainder(LinearSum& sum, std::size_t i) {
  const auto [monomial, coefficient] = sum.terms[i];
  for (Expr atom : atoms_of(monomial)) {
    if (!atom.is(Op::Mod) || interval(atom[1]).lo < 1) continue;
    if (sum.terms.size() < 2) return false;
    const auto others = divide_monomial(pool(), monomial, atom);
    const LinearSum k = term(coefficient, *others);
    const auto multiple = multiply(linear(atom[0] / atom[1]), sum_of(atom[1]));
    const auto value = multiple ? add(sum_of(atom[0]), *multiple, -1) : std::nullopt;
    const auto in = value ? multiply(k, *value) : std::nullopt;
    if (in && replace_terms(sum, term(coefficient, monomial), *in, "sum/recompose")) {
      return true;
    }
  }
  return false;
}

// k*a*((x / a) % b) + k*(x % a) = k*(x % (a*b))
bool Simplifier::recompose_digits(LinearSum& sum, std::size_t i) {
  const auto [monomial, coefficient] = sum.terms[i];
  for (Expr atom : atoms_of(monomial)) {
    if (!atom.is(Op::Mod) || !atom[0].is(Op::Div) || interval(atom[1]).lo < 1) continue;
    const Expr x = atom[0][0], a = atom[0][1];
    if (interval(a).lo < 1) continue;
    const auto others = divide_monomial(pool(), monomial, atom);
    const auto k = divide_terms(pool(), term(coefficient, *others), sum_of(a));
    if (!k || !k->rest.is_zero() || k->quotient.is_zero()) continue;
    const auto low = multiply(k->quotient, linear(x % a));
    const auto whole = multiply(k->quotient, linear(x % (a * atom[1])));
    const auto out = low ? add(term(coefficient, monomial), *low) : std::nullopt;
    if (out && whole && replace_terms(sum, *out, *whole, "sum/recompose-mod")) return true;
  }
  return false;
}

// k*b*(x / (a*b)) = k*(x / a) where a*b divides x.
bool Simplifier::recompose_divisible(LinearSum& sum, std::size_t i, Expr quotient) {
  const auto [monomial, coefficient] = sum.terms[i];
  if (!quotient[1].is(Op::Const) || coefficient == INT64_MIN) return false;
  const std::int64_t d = quotient[1].value(), b = std::gcd(coefficient, d);
  const Congruence x = congruence(sum_of(quotient[0]));
  if (b == 1 || !x.decides(d) || x.residue % d != 0) return false;
  const auto others = divide_monomial(pool(), monomial, quotient);
  const auto in = multiply(term(coefficient / b, *others), linear(quotient[0] / (d / b)));
  const auto less = add(sum, term(coefficient, monomial), -1);
  const auto result = in && less ? add(*less, *in) : std::nullopt;
  if (!result) return false;
  sum = *result;
  count(rule("sum/divisible-part"));
  return true;
}

// k*x - k*a*(x / a) = k*(x % a), and k*a*(x / a) = k*x where a divides x.
bool Simplifier::recompose_quotient(LinearSum& sum, std::size_t i) {
  const auto [monomial, coefficient] = sum.terms[i];
  for (Expr atom : atoms_of(monomial)) {
    if (!atom.is(Op::Div) || interval(atom[1]).lo < 1) continue;
    const auto others = divide_monomial(pool(), monomial, atom);
    const auto k = divide_terms(pool(), term(coefficient, *others), sum_of(atom[1]));
    if (!k || !k->rest.is_zero() || k->quotient.is_zero()) {
      if (recompose_divisible(sum, i, atom)) return true;
      continue;
    }
    const auto multiple = multiply(k->quotient, sum_of(atom[0]));
    const auto remainder = multiply(k->quotient, linear(atom[0] % atom[1]));
    if (!multiple || !remainder) continue;
    const LinearSum out = term(coefficient, monomial);
    if (remainder->is_zero()) {
      if (replace_terms(sum, out, *multiple, "sum/divisible")) return true;
      continue;
    }
    const auto in = add(*multiple, *remainder, -1);
    if (in && replace_terms(sum, out, *in, "sum/remainder")) return true;
  }
  return false;
}

}  // namespace selvage
