#include <selvage/base/integer.h>
#include <selvage/expr/cost.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>

namespace selvage {

namespace {

LinearSum term(std::int64_t coefficient, Expr monomial) {
  if (!monomial.valid()) return LinearSum::of_constant(coefficient);
  return {{{monomial, coefficient}}, 0};
}

bool is_division(Expr e) { return e.is(Op::Div) || e.is(Op::Mod); }

bool has_quotient(const LinearSum& sum) {
  return std::any_of(sum.terms.begin(), sum.terms.end(), [](const auto& t) {
    for (Expr m = t.monomial;; m = m[0]) {
      if ((m.is(Op::Mul) ? m[1] : m).is(Op::Div)) return true;
      if (!m.is(Op::Mul)) return false;
    }
  });
}

const LinearSum::Term* find_term(const LinearSum& sum, Expr monomial) {
  for (const auto& t : sum.terms) {
    if (same(t.monomial, monomial)) return &t;
  }
  return nullptr;
}

// k, if all terms of k*x are in the sum with just these coefficients; else 0.
std::int64_t multiple_within(const LinearSum& sum, const LinearSum& x) {
  std::int64_t k = 0;
  for (const auto& t : x.terms) {
    const LinearSum::Term* own = find_term(sum, t.monomial);
    if (own == nullptr || own->coefficient == INT64_MIN || t.coefficient == INT64_MIN) return 0;
    if (own->coefficient % t.coefficient != 0) return 0;
    const std::int64_t ratio = own->coefficient / t.coefficient;
    if (k != 0 && ratio != k) return 0;
    k = ratio;
  }
  return k;
}

// The k of least magnitude with a term k*c*m in the sum for each term c*m of x; 0: there is none,
// or their signs differ.
std::int64_t least_multiple(const LinearSum& sum, const LinearSum& x) {
  std::int64_t k = 0;
  for (const auto& t : x.terms) {
    const LinearSum::Term* own = find_term(sum, t.monomial);
    if (own == nullptr || own->coefficient == INT64_MIN || t.coefficient == INT64_MIN) return 0;
    const std::int64_t ratio = own->coefficient / t.coefficient;
    if (ratio == 0 || (k != 0 && (ratio > 0) != (k > 0))) return 0;
    if (k == 0 || magnitude(ratio) < magnitude(k)) k = ratio;
  }
  return k;
}

}  // namespace

// As cost_of(), remembered.
int Simplifier::cost(Expr e) {
  constexpr int kMost = 1 << 24;
  int& memo = known_[e].cost;
  if (memo != 0 || e.args().empty() || e.is(Op::Let)) return memo;
  auto total = int(operator_cost(e));
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

int Simplifier::all_divisions(Expr e) {
  if (e.args().empty() || e.is(Op::Let)) return 0;
  int& memo = known_[e].divisions;  // 1 more than the number
  if (memo > 0) return memo - 1;
  int total = is_division(e);
  for (Expr a : e.args()) total = std::min(1 << 24, total + all_divisions(a));
  memo = total + 1;
  return total;
}

int Simplifier::all_divisions(const LinearSum& sum) {
  int total = 0;
  for (const auto& t : sum.terms) total += all_divisions(t.monomial);
  return total;
}

// Looks for terms that belong together, e.g. x/4*4 + x%4; false when there are none left. In the
// end no sum holds x beside a digit of x of the other sign: digits vary freely and x with them does
// not, and bounds are taken term by term.
bool Simplifier::recompose(LinearSum& sum) {
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
      if (!high.is(Op::Mod) || c == INT64_MIN) continue;  // which -1 does not divide
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

// Each rule makes the sum cheaper or takes the signs of two terms together; where they would chase
// each other over numbers that share terms, the count ends it.
void Simplifier::recompose_all(LinearSum& sum) {
  const std::size_t most = 24 + 4 * sum.terms.size();
  for (std::size_t round = 0; round < most && spend() && recompose(sum); ++round) {}
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

// k*(x % a) + k*a*(x / a) = k*x
bool Simplifier::recompose_remainder(LinearSum& sum, std::size_t i, Expr atom) {
  const auto [monomial, coefficient] = sum.terms[i];
  if (sum.terms.size() < 2 || interval(atom[1]).lo < 1) return false;
  if (!has_quotient(sum)) return false;  // with which it could go
  const auto others = divide_monomial(pool(), monomial, atom);
  const LinearSum k = term(coefficient, *others);
  const LinearSum quotient = linear(atom[0] / atom[1]);
  const auto multiple = multiply(quotient, sum_of(atom[1]));
  const auto low = multiple ? add(sum_of(atom[0]), *multiple, -1) : std::nullopt;
  const auto in = low ? multiply(k, *low) : std::nullopt;
  const auto less = in ? add(sum, term(coefficient, monomial), -1) : std::nullopt;
  const auto result = less ? add(*less, *in) : std::nullopt;
  if (!result) return false;
  // Only where the quotient goes for good, or stays with the sign of k: see split_digits.
  const bool goes =
      divisions(*result) + 1 + divisions(quotient) <= divisions(sum) + divisions(sum_of(atom[0]));
  if (!goes) {
    const Expr q = quotient.terms.size() == 1 ? quotient.terms[0].monomial : Expr();
    const LinearSum::Term* left = q.valid() ? find_term(*result, q) : nullptr;
    const LinearSum::Term* had = q.valid() ? find_term(sum, q) : nullptr;
    if (left == nullptr || had == nullptr || others->valid()) return false;
    if ((left->coefficient > 0) != (coefficient > 0)) return false;
  }
  if (cost(*result) >= cost(sum)) return false;
  sum = *result;
  count(rule("sum/recompose"));
  return true;
}

// The ways to see y as x / a.
std::vector<Simplifier::Quotient> Simplifier::as_quotients(Expr y, std::int64_t factor) {
  std::vector<Quotient> out;
  const LinearSum& sum = sum_of(y);
  for (const auto& t : sum.terms) {
    if (!t.monomial.is(Op::Div) || t.coefficient != 1 || interval(t.monomial[1]).lo < 1) continue;
    const Expr x = t.monomial[0], a = t.monomial[1];
    auto rest = sum;
    std::erase_if(rest.terms, [&](const auto& u) { return same(u.monomial, t.monomial); });
    const auto scaled = multiply(rest, sum_of(a));
    const auto whole = scaled ? add(*scaled, sum_of(x)) : std::nullopt;
    if (whole && width(*whole) <= width(sum)) out.push_back({to_expr(pool(), *whole), a});
    if (rest.is_zero() && a.is(Op::Const)) {
      // x / a is (x / (a / g)) / g.
      const std::int64_t g = common_divisor(a.value(), factor);
      if (g > 1 && g < a.value()) out.push_back({x / (a.value() / g), pool().constant(g)});
    }
  }
  return out;
}

// k*a*((x / a) % b) + k*(x % a) = k*(x % (a*b))
bool Simplifier::recompose_digits(LinearSum& sum, std::size_t i, Expr atom) {
  const auto [monomial, coefficient] = sum.terms[i];
  if (sum.terms.size() < 2 || interval(atom[1]).lo < 1) return false;
  for (const auto& [x, a] : as_quotients(atom[0], coefficient)) {
    const auto others = divide_monomial(pool(), monomial, atom);
    const auto k = divide_terms(pool(), term(coefficient, *others), sum_of(a));
    if (!k || !k->rest.is_zero() || k->quotient.is_zero()) continue;
    const auto low = multiply(k->quotient, linear(x % a));
    const auto out = low ? add(term(coefficient, monomial), *low) : std::nullopt;
    if (!out) continue;
    const bool there = std::all_of(low->terms.begin(), low->terms.end(), [&](const auto& t) {
      return find_term(sum, t.monomial) != nullptr;
    });
    if (!there) continue;
    const auto whole = multiply(k->quotient, linear(x % (a * atom[1])));
    if (whole && replace_terms(sum, *out, *whole, "sum/recompose-mod")) return true;
  }
  return false;
}

// k*b*(x / (a*b)) = k*(x / a) where a*b divides x.
bool Simplifier::recompose_divisible(LinearSum& sum, std::size_t i, Expr quotient) {
  const auto [monomial, coefficient] = sum.terms[i];
  if (!quotient[1].is(Op::Const) || coefficient == INT64_MIN) return false;
  const std::int64_t d = quotient[1].value(), b = common_divisor(coefficient, d);
  const Congruence x = congruence(sum_of(quotient[0]));
  if (b == 1) return false;
  if (!x.decides(d) || x.residue % d != 0) return recompose_outer(sum, i, quotient, b);
  const auto others = divide_monomial(pool(), monomial, quotient);
  const auto in = multiply(term(coefficient / b, *others), linear(quotient[0] / (d / b)));
  const auto less = add(sum, term(coefficient, monomial), -1);
  const auto result = in && less ? add(*less, *in) : std::nullopt;
  if (!result) return false;
  sum = *result;
  count(rule("sum/divisible-part"));
  return true;
}

// k*b*(x / (a*b)) + k*((x / a) % b) = k*(x / a)
bool Simplifier::recompose_outer(LinearSum& sum, std::size_t i, Expr quotient, std::int64_t b) {
  const auto [monomial, coefficient] = sum.terms[i];
  const std::int64_t a = quotient[1].value() / b;
  if (a == 1 || sum.terms.size() < 2 || !same(monomial, quotient)) return false;
  const Expr inner = quotient[0] / a;
  const auto multiple = scale(linear(inner), coefficient / b);
  const auto remainder = scale(linear(inner % b), coefficient / b);
  if (!multiple || !remainder) return false;
  const bool there =
      std::all_of(remainder->terms.begin(), remainder->terms.end(), [&](const auto& t) {
        const LinearSum::Term* own = find_term(sum, t.monomial);
        return own != nullptr && own->coefficient == t.coefficient;
      });
  const auto in = there ? add(*multiple, *remainder, -1) : std::nullopt;
  return in && replace_terms(sum, term(coefficient, monomial), *in, "sum/recompose");
}

// k*x - k*a*(x / a) = k*(x % a), and k*a*(x / a) = k*x where a divides x.
bool Simplifier::recompose_quotient(LinearSum& sum, std::size_t i, Expr atom) {
  const auto [monomial, coefficient] = sum.terms[i];
  if (interval(atom[1]).lo < 1) return false;
  const auto others = divide_monomial(pool(), monomial, atom);
  const auto k = divide_terms(pool(), term(coefficient, *others), sum_of(atom[1]));
  if (!k || !k->rest.is_zero() || k->quotient.is_zero()) return recompose_divisible(sum, i, atom);
  const auto multiple = multiply(k->quotient, sum_of(atom[0]));
  const LinearSum rest = linear(atom[0] % atom[1]);
  const auto remainder = multiply(k->quotient, rest);
  if (!multiple || !remainder) return false;
  const LinearSum out = term(coefficient, monomial);
  if (remainder->is_zero()) return replace_terms(sum, out, *multiple, "sum/divisible");
  const auto in = add(*multiple, *remainder, -1);
  const auto less = in ? add(sum, out, -1) : std::nullopt;
  const auto result = less ? add(*less, *in) : std::nullopt;
  // Only where the remainder or k*x goes for good: see split_digits.
  if (!result) return false;
  const bool remainder_goes =
      divisions(*result) + 1 + divisions(*remainder) <= divisions(sum) + divisions(*multiple);
  if (!remainder_goes && multiple_within(sum, *multiple) != -1) return false;
  return replace_terms(sum, out, *in, "sum/remainder");
}

// k*x beside m*(x / a) or m*(x % a) of the other sign: k*a*(x / a) + k*(x % a). With one sign x and
// its digit rise together, and bounds taken term by term are good.
bool Simplifier::split_digits(LinearSum& sum, std::size_t i) {
  const auto [digit, coefficient] = sum.terms[i];
  const std::int64_t k = multiple_within(sum, sum_of(digit[0]));
  if (k == 0 || (k > 0) == (coefficient > 0)) return false;
  const auto result = in_digits(sum, digit);
  if (!result) return false;
  sum = *result;
  count(rule("sum/recompose"));
  return true;
}

// The sum with k*a*(x / a) + k*(x % a) in place of its k*x, for a digit x / a or x % a.
std::optional<LinearSum> Simplifier::in_digits(const LinearSum& sum, Expr digit) {
  if (!is_division(digit) || !digit[1].is(Op::Const)) return std::nullopt;
  return in_digits(sum, digit[0], digit[1].value());
}

// The same for a number x and its digits by a.
std::optional<LinearSum> Simplifier::in_digits(const LinearSum& sum, Expr number, std::int64_t a) {
  if (a < 1) return std::nullopt;
  const LinearSum& x = sum_of(number);
  const std::int64_t k = least_multiple(sum, x);
  const auto steps = checked_mul(k, a);
  if (k == 0 || k == INT64_MIN || !steps) return std::nullopt;
  const LinearSum high = linear(number / a), low = linear(number % a);
  const auto less = add(sum, x, -k);
  const auto with_high = less ? add(*less, high, *steps) : std::nullopt;
  const auto result = with_high ? add(*with_high, low, k) : std::nullopt;
  if (!result || multiple_within(*result, x) != 0) return std::nullopt;
  return result;
}

// The sum with one number in digits of which it has a digit already: the smallest digit first.
std::optional<LinearSum> Simplifier::with_a_number_in_digits(const LinearSum& sum) {
  struct Number {
    Expr x;
    std::int64_t a;
  };
  std::vector<Number> numbers;
  for (const auto& t : sum.terms) {
    const Expr digit = t.monomial;
    if (!is_division(digit) || !digit[1].is(Op::Const) || digit[1].value() < 2) continue;
    const Expr x = digit[0];
    const std::int64_t a = digit[1].value();
    numbers.push_back({x, a});
    // (y / b) % a is a digit of y, too; y / (a*b) one of y / b.
    if (digit.is(Op::Mod) && x.is(Op::Div) && x[1].is(Op::Const) && x[1].value() > 1) {
      numbers.push_back({x[0], x[1].value()});
    }
    for (const auto& u : sum.terms) {
      const Expr y = u.monomial;
      if (digit.is(Op::Mod) || !y.is(Op::Div) || !same(y[0], x) || !y[1].is(Op::Const)) continue;
      const std::int64_t b = y[1].value();
      if (b > 1 && b < a && a % b == 0) numbers.push_back({y, a / b});
    }
  }
  std::stable_sort(numbers.begin(), numbers.end(),
                   [](const Number& one, const Number& other) { return one.a < other.a; });
  for (const auto& [x, a] : numbers) {
    if (auto digits = in_digits(sum, x, a)) return digits;
  }
  return std::nullopt;
}

// sum with k*x - k*a*(x / a) in place of its k*(x % a); a is a constant.
std::optional<LinearSum> Simplifier::join(const LinearSum& sum, Expr remainder, std::int64_t k) {
  const auto steps = checked_mul(k, remainder[1].value());
  if (!steps || *steps == INT64_MIN) return std::nullopt;
  const auto less = add(sum, term(k, remainder), -1);
  const auto more = less ? add(*less, sum_of(remainder[0]), k) : std::nullopt;
  return more ? add(*more, linear(remainder[0] / remainder[1]), -*steps) : std::nullopt;
}

// k*(x % a) + k*a*(y % b) = k*(x % (a*b)), where y and x / a leave the same by b.
bool Simplifier::recompose_pair(LinearSum& sum, std::size_t low, std::size_t high) {
  const Expr x = sum.terms[low].monomial[0], a = sum.terms[low].monomial[1];
  const Expr digit = sum.terms[high].monomial, b = digit[1];
  const std::int64_t k = sum.terms[low].coefficient;
  if (interval(a).lo < 1 || interval(b).lo < 1) return false;
  if (!same(normalize((x / a) % b), digit)) return false;
  const auto out = add(term(k, sum.terms[low].monomial), term(sum.terms[high].coefficient, digit));
  const auto in = scale(linear(x % (a * b)), k);
  return out && in && replace_terms(sum, *out, *in, "sum/recompose-mod");
}

// k*(x / d) + k*t = k*((x + d*t) / d), where t and x hold parts of one number.
bool Simplifier::move_in(LinearSum& sum, std::size_t i, Expr atom) {
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
    const auto whole = add(dividend, term(*moved, other));
    const bool fits = whole && width(*whole) <= std::max(width(sum), width(dividend));
    const auto in = fits ? scale(linear(to_expr(pool(), *whole) / d), k) : std::nullopt;
    const auto out = add(term(k, atom), term(c, other));
    const auto less = in && out ? add(sum, *out, -1) : std::nullopt;
    const auto result = less ? add(*less, *in) : std::nullopt;
    // What is drawn out of divisions is not to come back for a cheaper product alone.
    if (!result || all_divisions(*result) >= all_divisions(sum)) continue;
    sum = *result;
    count(rule("sum/into-division"));
    return true;
  }
  return false;
}

}  // namespace selvage
