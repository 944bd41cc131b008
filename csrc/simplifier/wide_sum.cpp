#include <selvage/base/work.h>
#include <selvage/simplifier/wide_sum.h>

#include <algorithm>

namespace selvage {

namespace {

using Wide = __int128;

std::optional<std::int64_t> narrowed(Wide v) {
  if (v < INT64_MIN || v > INT64_MAX) return std::nullopt;
  return std::int64_t(v);
}

WideSum widened(const LinearSum& sum) {
  WideSum wide;
  for (const auto& t : sum.terms) wide.terms.push_back({t.monomial, t.coefficient});
  wide.constant = sum.constant;
  return wide;
}

// sum += k * other. False on overflow.
bool accumulate(WideSum& sum, const WideSum& other, Wide k) {
  const auto grow = [k](Wide& total, Wide v) {
    Wide product;
    return !__builtin_mul_overflow(v, k, &product) &&
           !__builtin_add_overflow(total, product, &total);
  };
  for (const WideSum::Term& t : other.terms) {
    const auto at = std::lower_bound(
        sum.terms.begin(), sum.terms.end(), t.monomial,
        [](const WideSum::Term& own, Expr m) { return structurally_before(own.monomial, m); });
    const bool is_there = at != sum.terms.end() && same(at->monomial, t.monomial);
    const auto own = is_there ? at : sum.terms.insert(at, {t.monomial, 0});
    if (!grow(own->coefficient, t.coefficient)) return false;
    if (own->coefficient == 0) sum.terms.erase(own);
  }
  return grow(sum.constant, other.constant);
}

Wide floor_of(Wide a, Wide d) { return a / d - (a % d < 0 ? 1 : 0); }

}  // namespace

std::optional<LinearSum> WideSum::narrowed() const {
  LinearSum sum;
  for (const Term& t : terms) {
    const auto k = selvage::narrowed(t.coefficient);
    if (!k) return std::nullopt;
    sum.terms.push_back({t.monomial, *k});
  }
  const auto c = selvage::narrowed(constant);
  if (!c || sum.terms.size() > kMostTerms) return std::nullopt;
  sum.constant = *c;
  return sum;
}

std::optional<WideSum> wide_sum(Expr e, const std::function<LinearSum(Expr)>& linear) {
  constexpr std::uint32_t kLarge = 200;
  if (e.size() > kLarge) return std::nullopt;
  count_work();
  if (!is_sum(e)) return widened(linear(e));
  const auto a = wide_sum(e[0], linear), b = wide_sum(e[1], linear);
  if (!a || !b) return std::nullopt;
  WideSum sum;
  if (!e.is(Op::Mul)) {
    if (!accumulate(sum, *a, 1) || !accumulate(sum, *b, e.is(Op::Add) ? 1 : -1))
      return std::nullopt;
    return sum;
  }
  if (a->terms.empty() || b->terms.empty()) {
    const bool is_number = a->terms.empty();
    if (!accumulate(sum, is_number ? *b : *a, (is_number ? a : b)->constant)) return std::nullopt;
    return sum;
  }
  const auto left = a->narrowed(), right = b->narrowed();
  const auto product = left && right ? multiply(*left, *right) : std::nullopt;
  if (!product) return std::nullopt;
  return widened(*product);
}

std::optional<WideSum> wide_difference(const WideSum& greater, const WideSum& lesser) {
  WideSum sum = greater;
  if (!accumulate(sum, lesser, -1)) return std::nullopt;
  Wide content = 0;
  for (const WideSum::Term& t : sum.terms) {
    for (Wide v = t.coefficient < 0 ? -t.coefficient : t.coefficient; v != 0;) {
      content = content % v;
      std::swap(content, v);
    }
  }
  if (content > 1) {
    for (WideSum::Term& t : sum.terms) t.coefficient /= content;
    sum.constant = floor_of(sum.constant, content);
  }
  return sum;
}

WideDivision divide(const WideSum& sum, std::int64_t d) {
  WideDivision result;
  for (const WideSum::Term& t : sum.terms) {
    const Wide q = floor_of(t.coefficient, d), r = t.coefficient - q * d;
    if (q != 0) result.quotient.terms.push_back({t.monomial, q});
    if (r != 0) result.rest.terms.push_back({t.monomial, r});
  }
  result.quotient.constant = floor_of(sum.constant, d);
  result.rest.constant = sum.constant - result.quotient.constant * d;
  return result;
}

}  // namespace selvage
