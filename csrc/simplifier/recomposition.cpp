#include <selvage/base/integer.h>
#include <selvage/simplifier/parts.h>

#include <algorithm>

namespace selvage {

namespace {

bool is_division(Expr e) { return e.is(Op::Div) || e.is(Op::Mod); }

bool has_quotient(const LinearSum& sum) {
  return std::any_of(sum.terms.begin(), sum.terms.end(), [](const auto& t) {
    for (Expr m = t.monomial;; m = m[0]) {
      if ((m.is(Op::Mul) ? m[1] : m).is(Op::Div)) return true;
      if (!m.is(Op::Mul)) return false;
    }
  });
}

}  // namespace

Recomposition::Recomposition(SimplifierParts& parts)
    : SimplifierPart(parts),
      normalizer_(parts.normalizer),
      rules_(parts.rules),
      digits_(parts.digits) {}

// Applies one rule. Returns false when no terms are left that belong together.
bool Recomposition::recompose(LinearSum& sum) {
  bool any = false;
  for (std::size_t i = 0; i < sum.terms.size(); ++i) {
    for (Expr m = sum.terms[i].monomial;; m = m[0]) {
      const Expr atom = m.is(Op::Mul) ? m[1] : m;
      any = any || is_division(atom);
      if (atom.is(Op::Mod) &&
          (recompose_remainder(sum, i, atom) || recompose_digits(sum, i, atom))) {
        return true;
      }
      if (!m.is(Op::Mul)) break;
    }
  }
  for (std::size_t i = 0; any && i < sum.terms.size(); ++i) {
    const auto& [low, k] = sum.terms[i];
    if (!low.is(Op::Mod) || !low[1].is(Op::Const)) continue;
    for (std::size_t j = 0; j < sum.terms.size(); ++j) {
      const auto& [high, c] = sum.terms[j];
      if (!high.is(Op::Mod) || c == INT64_MIN) continue;  // INT64_MIN / -1 overflows
      if (c % k == 0 && c / k == low[1].value() && recompose_pair(sum, i, j)) return true;
    }
  }
  for (std::size_t i = 0; any && i < sum.terms.size(); ++i) {
    for (Expr m = sum.terms[i].monomial;; m = m[0]) {
      const Expr atom = m.is(Op::Mul) ? m[1] : m;
      if (atom.is(Op::Div) && (recompose_quotient(sum, i, atom) || move_in(sum, i, atom))) {
        return true;
      }
      if (is_division(atom) && same(atom, m) && split_digits(sum, i)) return true;
      if (!m.is(Op::Mul)) break;
    }
  }
  return false;
}

// Each rule makes the sum cheaper, or gives two terms the same sign. Where rules undo each other on
// numbers that share terms, the limit of rounds ends it.
void Recomposition::recompose_all(LinearSum& sum) {
  const std::size_t most = 24 + 4 * sum.terms.size();
  for (std::size_t round = 0; round < most && budget_.spend() && recompose(sum); ++round) {}
}

bool Recomposition::replace_terms(LinearSum& sum, const LinearSum& out, const LinearSum& in,
                                  std::string_view name) {
  return take_cheaper(sum, with_instead(sum, out, in), name);
}

bool Recomposition::take_cheaper(LinearSum& sum, std::optional<LinearSum> result,
                                 std::string_view name) {
  if (!result || cost(*result) >= cost(sum)) return false;
  return take(sum, std::move(result), name);
}

bool Recomposition::take(LinearSum& sum, std::optional<LinearSum> result, std::string_view name) {
  if (!result) return false;
  sum = *std::move(result);
  rules_.count(name);
  return true;
}

// k*(x % a) + k*a*(x / a) = k*x
bool Recomposition::recompose_remainder(LinearSum& sum, std::size_t i, Expr atom) {
  const auto [monomial, coefficient] = sum.terms[i];
  if (sum.terms.size() < 2 || interval(atom[1]).lo < 1) return false;
  if (!has_quotient(sum)) return false;  // nothing to join the remainder with
  const auto others = divide_monomial(pool_, monomial, atom);
  const LinearSum k = LinearSum::of_term(coefficient, *others);
  const LinearSum quotient = normalizer_.linear(atom[0] / atom[1]);
  const auto multiple = multiply(quotient, sum_of(atom[1]));
  const auto low = multiple ? add(sum_of(atom[0]), *multiple, -1) : std::nullopt;
  const auto in = low ? multiply(k, *low) : std::nullopt;
  const LinearSum out = LinearSum::of_term(coefficient, monomial);
  const auto result = in ? with_instead(sum, out, *in) : std::nullopt;
  if (!result) return false;
  // Only if the quotient disappears, or stays with the sign of k: see split_digits().
  const bool goes =
      divisions(*result) + 1 + divisions(quotient) <= divisions(sum) + divisions(sum_of(atom[0]));
  if (!goes) {
    const Expr q = quotient.terms.size() == 1 ? quotient.terms[0].monomial : Expr();
    const LinearSum::Term* left = q.valid() ? find_term(*result, q) : nullptr;
    const LinearSum::Term* had = q.valid() ? find_term(sum, q) : nullptr;
    if (left == nullptr || had == nullptr || others->valid()) return false;
    if ((left->coefficient > 0) != (coefficient > 0)) return false;
  }
  return take_cheaper(sum, result, "sum/recompose");
}

// The ways to write y as a quotient x / a.
std::vector<Recomposition::Quotient> Recomposition::as_quotients(Expr y, std::int64_t factor) {
  std::vector<Quotient> out;
  const LinearSum& sum = sum_of(y);
  for (const auto& t : sum.terms) {
    if (!t.monomial.is(Op::Div) || t.coefficient != 1 || interval(t.monomial[1]).lo < 1) continue;
    const Expr x = t.monomial[0], a = t.monomial[1];
    const LinearSum rest = without_term(sum, std::size_t(&t - sum.terms.data()));
    const auto scaled = multiply(rest, sum_of(a));
    const auto whole = scaled ? add(*scaled, sum_of(x)) : std::nullopt;
    if (whole && bounds_.width(*whole) <= bounds_.width(sum))
      out.push_back({to_expr(pool_, *whole), a});
    if (rest.is_zero() && a.is(Op::Const)) {
      // x / a is (x / (a / g)) / g.
      const std::int64_t g = common_divisor(a.value(), factor);
      if (g > 1 && g < a.value()) out.push_back({x / (a.value() / g), pool_.constant(g)});
    }
  }
  return out;
}

// k*a*((x / a) % b) + k*(x % a) = k*(x % (a*b))
bool Recomposition::recompose_digits(LinearSum& sum, std::size_t i, Expr atom) {
  const auto [monomial, coefficient] = sum.terms[i];
  if (sum.terms.size() < 2 || interval(atom[1]).lo < 1) return false;
  for (const auto& [x, a] : as_quotients(atom[0], coefficient)) {
    const auto others = divide_monomial(pool_, monomial, atom);
    const auto k = divide_terms(pool_, LinearSum::of_term(coefficient, *others), sum_of(a));
    if (!k || !k->rest.is_zero() || k->quotient.is_zero()) continue;
    const auto low = multiply(k->quotient, normalizer_.linear(x % a));
    const auto out = low ? add(LinearSum::of_term(coefficient, monomial), *low) : std::nullopt;
    if (!out) continue;
    const bool there = std::all_of(low->terms.begin(), low->terms.end(), [&](const auto& t) {
      return find_term(sum, t.monomial) != nullptr;
    });
    if (!there) continue;
    const auto whole = multiply(k->quotient, normalizer_.linear(x % (a * atom[1])));
    if (whole && replace_terms(sum, *out, *whole, "sum/recompose-mod")) return true;
  }
  return false;
}

// k*b*(x / (a*b)) = k*(x / a) where a*b divides x.
bool Recomposition::recompose_divisible(LinearSum& sum, std::size_t i, Expr quotient) {
  const auto [monomial, coefficient] = sum.terms[i];
  if (!quotient[1].is(Op::Const) || coefficient == INT64_MIN) return false;
  const std::int64_t d = quotient[1].value(), b = common_divisor(coefficient, d);
  const Congruence x = bounds_.congruence(sum_of(quotient[0]));
  if (b == 1) return false;
  if (!x.decides(d) || x.residue % d != 0) return recompose_outer(sum, i, quotient, b);
  const auto others = divide_monomial(pool_, monomial, quotient);
  const auto in = multiply(LinearSum::of_term(coefficient / b, *others),
                           normalizer_.linear(quotient[0] / (d / b)));
  const auto less = add(sum, LinearSum::of_term(coefficient, monomial), -1);
  return take(sum, in && less ? add(*less, *in) : std::nullopt, "sum/divisible-part");
}

// k*b*(x / (a*b)) + k*((x / a) % b) = k*(x / a)
bool Recomposition::recompose_outer(LinearSum& sum, std::size_t i, Expr quotient, std::int64_t b) {
  const auto [monomial, coefficient] = sum.terms[i];
  const std::int64_t a = quotient[1].value() / b;
  if (a == 1 || sum.terms.size() < 2 || !same(monomial, quotient)) return false;
  const Expr inner = quotient[0] / a;
  const auto multiple = scale(normalizer_.linear(inner), coefficient / b);
  const auto remainder = scale(normalizer_.linear(inner % b), coefficient / b);
  if (!multiple || !remainder) return false;
  const bool there =
      std::all_of(remainder->terms.begin(), remainder->terms.end(), [&](const auto& t) {
        const LinearSum::Term* own = find_term(sum, t.monomial);
        return own != nullptr && own->coefficient == t.coefficient;
      });
  const auto in = there ? add(*multiple, *remainder, -1) : std::nullopt;
  return in && replace_terms(sum, LinearSum::of_term(coefficient, monomial), *in, "sum/recompose");
}

// k*x - k*a*(x / a) = k*(x % a), and k*a*(x / a) = k*x where a divides x.
bool Recomposition::recompose_quotient(LinearSum& sum, std::size_t i, Expr atom) {
  const auto [monomial, coefficient] = sum.terms[i];
  if (interval(atom[1]).lo < 1) return false;
  const auto others = divide_monomial(pool_, monomial, atom);
  const auto k = divide_terms(pool_, LinearSum::of_term(coefficient, *others), sum_of(atom[1]));
  if (!k || !k->rest.is_zero() || k->quotient.is_zero()) return recompose_divisible(sum, i, atom);
  const auto multiple = multiply(k->quotient, sum_of(atom[0]));
  const LinearSum rest = normalizer_.linear(atom[0] % atom[1]);
  const auto remainder = multiply(k->quotient, rest);
  if (!multiple || !remainder) return false;
  const LinearSum out = LinearSum::of_term(coefficient, monomial);
  if (remainder->is_zero()) return replace_terms(sum, out, *multiple, "sum/divisible");
  const auto in = add(*multiple, *remainder, -1);
  const auto result = in ? with_instead(sum, out, *in) : std::nullopt;
  // Only if the remainder or k*x disappears: see split_digits().
  if (!result) return false;
  const bool remainder_goes =
      divisions(*result) + 1 + divisions(*remainder) <= divisions(sum) + divisions(*multiple);
  if (!remainder_goes && multiple_within(sum, *multiple) != -1) return false;
  return replace_terms(sum, out, *in, "sum/remainder");
}

// Splits k*x into k*a*(x / a) + k*(x % a) if the sum has m*(x / a) or m*(x % a) of the other sign.
// (With one sign x and its digit rise together, and bounds taken term by term are good.)
bool Recomposition::split_digits(LinearSum& sum, std::size_t i) {
  const auto [digit, coefficient] = sum.terms[i];
  const std::int64_t k = multiple_within(sum, sum_of(digit[0]));
  if (k == 0 || (k > 0) == (coefficient > 0)) return false;
  return take(sum, digits_.in_digits(sum, digit), "sum/recompose");
}

// k*(x % a) + k*a*(y % b) = k*(x % (a*b)), where y and x / a leave the same remainder by b.
bool Recomposition::recompose_pair(LinearSum& sum, std::size_t low, std::size_t high) {
  const Expr x = sum.terms[low].monomial[0], a = sum.terms[low].monomial[1];
  const Expr digit = sum.terms[high].monomial, b = digit[1];
  const std::int64_t k = sum.terms[low].coefficient;
  if (interval(a).lo < 1 || interval(b).lo < 1) return false;
  if (!same(normalizer_.normalize((x / a) % b), digit)) return false;
  const auto out = add(LinearSum::of_term(k, sum.terms[low].monomial),
                       LinearSum::of_term(sum.terms[high].coefficient, digit));
  const auto in = scale(normalizer_.linear(x % (a * b)), k);
  return out && in && replace_terms(sum, *out, *in, "sum/recompose-mod");
}

// k*(x / d) + k*t = k*((x + d*t) / d), where t and x hold parts of one number.
bool Recomposition::move_in(LinearSum& sum, std::size_t i, Expr atom) {
  const auto [monomial, k] = sum.terms[i];
  if (sum.terms.size() < 2 || !same(monomial, atom)) return false;
  if (!atom[1].is(Op::Const) || atom[1].value() < 1) return false;
  const std::int64_t d = atom[1].value();
  const LinearSum& dividend = sum_of(atom[0]);
  for (const auto& term_beside : sum.terms) {
    const Expr other = term_beside.monomial;
    const std::int64_t c = term_beside.coefficient;
    if (same(other, atom) || !is_division(other) || k == -1 || c % k != 0) continue;
    if (find_term(dividend, other) != nullptr) continue;  // a multiple that was drawn out
    const bool related =
        std::any_of(dividend.terms.begin(), dividend.terms.end(), [&](const auto& t) {
          if (!t.monomial.is(Op::Mod)) return false;
          const Expr x = t.monomial[0];
          return same(x, other[0]) || (other[0].is(Op::Div) && same(x, other[0][0]));
        });
    const auto moved = checked_mul(c / k, d);
    if (!related || !moved) continue;
    const auto whole = add(dividend, LinearSum::of_term(*moved, other));
    const bool fits = whole && bounds_.fits(*whole, sum, dividend);
    const auto in = fits ? scale(normalizer_.linear(to_expr(pool_, *whole) / d), k) : std::nullopt;
    const auto out = add(LinearSum::of_term(k, atom), LinearSum::of_term(c, other));
    const auto result = in && out ? with_instead(sum, *out, *in) : std::nullopt;
    // Only with fewer divisions: a cheaper product alone must not bring back what was drawn out.
    if (!result || structure_.all_divisions(*result) >= structure_.all_divisions(sum)) continue;
    return take(sum, result, "sum/into-division");
  }
  return false;
}

}  // namespace selvage
