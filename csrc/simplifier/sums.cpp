#include <selvage/simplifier/simplifier.h>

#include <numeric>

namespace selvage {

namespace {

// What a sum costs to compute, atoms' insides left out: divisions dear, then products, then terms.
int cost(const LinearSum& sum) {
  int total = sum.constant != 0 ? 1 : 0;
  for (const auto& t : sum.terms) {
    total += t.coefficient == 1 || t.coefficient == -1 ? 1 : 4;
    int products = -1;
    for (Expr atom : atoms_of(t.monomial)) {
      ++products;
      if (atom.is(Op::Div) || atom.is(Op::Mod)) total += 10;
    }
    total += 3 * products;
  }
  return total;
}

LinearSum term(std::int64_t coefficient, Expr monomial) {
  if (!monomial.valid()) return LinearSum::of_constant(coefficient);
  return {{{monomial, coefficient}}, 0};
}

}  // namespace

// Looks for terms that belong together, e.g. x/4*4 + x%4; false when there are none left.
bool Simplifier::recompose(LinearSum& sum) {
  for (std::size_t i = 0; i < sum.terms.size(); ++i) {
    for (Expr atom : atoms_of(sum.terms[i].monomial)) {
      if (atom.is(Op::Mod) && (recompose_remainder(sum, i) || recompose_digits(sum, i)))
        return true;
      if (atom.is(Op::Div) && recompose_quotient(sum, i)) return true;
    }
  }
  return false;
}

bool Simplifier::replace_terms(LinearSum& sum, const LinearSum& out, const LinearSum& in,
                               const Rule& rule) {
  const auto less = add(sum, out, -1);
  const auto result = less ? add(*less, in) : std::nullopt;
  if (!result || cost(*result) >= cost(sum)) return false;
  sum = *result;
  count(rule);
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
    const auto multiple = multiply(linear(atom[0] / atom[1]), to_linear(atom[1]));
    const auto value = multiple ? add(to_linear(atom[0]), *multiple, -1) : std::nullopt;
    const auto in = value ? multiply(k, *value) : std::nullopt;
    if (in && replace_terms(sum, term(coefficient, monomial), *in, rule("sum/recompose"))) {
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
    const auto k = divide_terms(pool(), term(coefficient, *others), to_linear(a));
    if (!k || !k->rest.is_zero() || k->quotient.is_zero()) continue;
    const auto low = multiply(k->quotient, linear(x % a));
    const auto whole = multiply(k->quotient, linear(x % (a * atom[1])));
    const auto out = low ? add(term(coefficient, monomial), *low) : std::nullopt;
    if (out && whole && replace_terms(sum, *out, *whole, rule("sum/recompose-mod"))) return true;
  }
  return false;
}

// k*b*(x / (a*b)) = k*(x / a) where a*b divides x.
bool Simplifier::recompose_divisible(LinearSum& sum, std::size_t i, Expr quotient) {
  const auto [monomial, coefficient] = sum.terms[i];
  if (!quotient[1].is(Op::Const) || coefficient == INT64_MIN) return false;
  const std::int64_t d = quotient[1].value(), b = std::gcd(coefficient, d);
  const Congruence x = congruence(to_linear(quotient[0]));
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
    const auto k = divide_terms(pool(), term(coefficient, *others), to_linear(atom[1]));
    if (!k || !k->rest.is_zero() || k->quotient.is_zero()) {
      if (recompose_divisible(sum, i, atom)) return true;
      continue;
    }
    const auto multiple = multiply(k->quotient, to_linear(atom[0]));
    const auto remainder = multiply(k->quotient, linear(atom[0] % atom[1]));
    if (!multiple || !remainder) continue;
    const LinearSum out = term(coefficient, monomial);
    if (remainder->is_zero()) {
      if (replace_terms(sum, out, *multiple, rule("sum/divisible"))) return true;
      continue;
    }
    const auto in = add(*multiple, *remainder, -1);
    if (in && replace_terms(sum, out, *in, rule("sum/remainder"))) return true;
  }
  return false;
}

}  // namespace selvage
