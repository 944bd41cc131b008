#include <selvage/base/integer.h>
#include <selvage/simplifier/parts.h>

#include <algorithm>

namespace selvage {

namespace {

bool is_digit_by_number(Expr e) { return (e.is(Op::Div) || e.is(Op::Mod)) && e[1].is(Op::Const); }

// Divides the coefficients of `sum` by those of the same monomials in x, rounding towards 0.
// Returns the quotient of least magnitude; 0 if a monomial is missing, a quotient is 0 or signs
// differ.
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

Digits::Digits(SimplifierParts& parts) : SimplifierPart(parts), normalizer_(parts.normalizer) {}

std::optional<LinearSum> Digits::in_digits(const LinearSum& sum, Expr digit) {
  if (!is_digit_by_number(digit)) return std::nullopt;
  return in_digits(sum, digit[0], digit[1].value());
}

std::optional<LinearSum> Digits::in_digits(const LinearSum& sum, Expr number, std::int64_t a) {
  if (a < 1) return std::nullopt;
  const LinearSum& x = sum_of(number);
  const std::int64_t k = least_multiple(sum, x);
  const auto steps = checked_mul(k, a);
  if (k == 0 || k == INT64_MIN || !steps) return std::nullopt;
  const LinearSum high = normalizer_.linear(number / a), low = normalizer_.linear(number % a);
  const auto less = add(sum, x, -k);
  const auto with_high = less ? add(*less, high, *steps) : std::nullopt;
  const auto result = with_high ? add(*with_high, low, k) : std::nullopt;
  if (!result || multiple_within(*result, x) != 0) return std::nullopt;
  return result;
}

std::optional<LinearSum> Digits::with_a_number_in_digits(const LinearSum& sum) {
  struct Number {
    Expr x;
    std::int64_t a;
  };
  std::vector<Number> numbers;
  for (const auto& t : sum.terms) {
    const Expr digit = t.monomial;
    if (!is_digit_by_number(digit) || digit[1].value() < 2) continue;
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

std::optional<LinearSum> Digits::join(const LinearSum& sum, Expr remainder, std::int64_t k) {
  const auto steps = checked_mul(k, remainder[1].value());
  if (!steps || *steps == INT64_MIN) return std::nullopt;
  const auto less = add(sum, LinearSum::of_term(k, remainder), -1);
  const auto more = less ? add(*less, sum_of(remainder[0]), k) : std::nullopt;
  return more ? add(*more, normalizer_.linear(remainder[0] / remainder[1]), -*steps) : std::nullopt;
}

}  // namespace selvage
