#include <selvage/base/integer.h>
#include <selvage/simplifier/parts.h>

#include <algorithm>

namespace selvage {

namespace {

// The terms of a sum by sign: sum = positive - negative + constant. All coefficients here are
// positive, but INT64_MIN stays as it is, in `positive`.
struct BySign {
  LinearSum positive, negative;
};

BySign by_sign(const LinearSum& sum) {
  BySign terms;
  for (const auto& t : sum.terms) {
    if (t.coefficient < 0 && t.coefficient != INT64_MIN) {
      terms.negative.terms.push_back({t.monomial, -t.coefficient});
    } else {
      terms.positive.terms.push_back(t);
    }
  }
  return terms;
}

}  // namespace

Comparisons::Comparisons(SimplifierParts& parts)
    : SimplifierPart(parts),
      prover_(parts.prover),
      normalizer_(parts.normalizer),
      rules_(parts.rules),
      recomposition_(parts.recomposition) {}

// The sum that is at least 0 exactly where lesser <= greater, or lesser < greater if strict.
// Numbers past 64 bits may fit after division by a common factor.
std::optional<LinearSum> Comparisons::order_difference(Expr lesser, Expr greater, bool strict) {
  auto difference = normalizer_.difference(greater, lesser);
  if (normalizer_.has_kept()) {
    const auto linear_of = [this](Expr atom) { return LinearSum(normalizer_.linear(atom)); };
    auto less = selvage::wide_sum(lesser, linear_of);
    const auto more = selvage::wide_sum(greater, linear_of);
    if (less && strict) less->constant += 1;
    const auto wide = less && more ? wide_difference(*more, *less) : std::nullopt;
    if (auto narrow = wide ? wide->narrowed() : std::nullopt) return narrow;
  }
  if (strict) return one_less(difference);
  return difference;
}

std::optional<LinearSum> Comparisons::difference_of(Expr comparison) {
  if (!comparison.is(Op::Lt) && !comparison.is(Op::Le)) return std::nullopt;
  const auto difference = add(sum_of(comparison[1]), sum_of(comparison[0]), -1);
  return comparison.is(Op::Lt) ? one_less(difference) : difference;
}

// Decides or rewrites the comparison as 0 <= difference.
Expr Comparisons::rewrite_order(Expr lesser, Expr greater, bool strict) {
  auto difference = order_difference(lesser, greater, strict);
  if (!difference) {
    return pool_.make(strict ? Op::Lt : Op::Le, normalizer_.normalize(lesser),
                      normalizer_.normalize(greater));
  }
  recomposition_.recompose_all(*difference);
  while (drop_common_factor(*difference) || drop_division(*difference)) {
    recomposition_.recompose_all(*difference);
  }
  if (prover_.nonnegative(*difference)) return pool_.truth(true);
  const auto denied = negation(*difference);
  if (denied && prover_.nonnegative(*denied)) return pool_.truth(false);
  return write_order(*difference);
}

// drop_common_factor() for a symbolic a that all terms share, and a constant y.
bool Comparisons::drop_common_symbol(LinearSum& difference) {
  if (difference.terms.empty()) return false;
  for (Expr a : atoms_of(difference.terms.front().monomial)) {
    const Interval range = interval(a);
    if (range.lo < 1) continue;
    LinearSum x;
    bool all = true;
    for (const auto& t : difference.terms) {
      const auto others = divide_monomial(pool_, t.monomial, a);
      all = all && others.has_value();
      if (!all) break;
      if (others->valid()) {
        const auto grown = add(x, sum_of(*others), t.coefficient);
        all = grown.has_value();
        if (grown) x = *grown;
      } else {
        x.constant = t.coefficient;
      }
    }
    // y is the constant, or the constant + a.
    const std::int64_t c = difference.constant;
    if (!all || c >= range.lo || c < -range.lo || (c < 0 && x.constant == INT64_MIN)) continue;
    if (c < 0) x.constant -= 1;
    difference = std::move(x);
    rules_.count("order/common-factor");
    return true;
  }
  return false;
}

bool Comparisons::drop_common_factor(LinearSum& difference) {
  std::vector<std::int64_t> factors;
  for (const auto& t : difference.terms) {
    if (t.coefficient != INT64_MIN && magnitude(t.coefficient) > 1) {
      factors.push_back(magnitude(t.coefficient));
    }
  }
  std::sort(factors.rbegin(), factors.rend());
  factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
  if (const std::int64_t g = content(difference); g > 1) factors.push_back(g);
  if (drop_common_symbol(difference)) return true;
  for (const std::int64_t a : factors) {
    auto [x, y] = divisible_terms(difference, a);
    const Interval rest = interval(y);
    if (!rest.has_lo() || !rest.has_hi()) continue;
    const auto lowest = checked_add(rest.lo, difference.constant);
    const auto highest = checked_add(rest.hi, difference.constant);
    if (!lowest || !highest || floor_div(*lowest, a) != floor_div(*highest, a)) continue;
    x.constant = floor_div(*lowest, a);
    difference = x;
    rules_.count("order/common-factor");
    return true;
  }
  return false;
}

// y <= x / a is y*a <= x, and x / a <= y is x < (y + 1)*a. A digit (x / a) % b is (x % (a*b)) / a.
bool Comparisons::drop_division(LinearSum& difference) {
  for (std::size_t i = 0; i < difference.terms.size(); ++i) {
    const auto [monomial, coefficient] = difference.terms[i];
    if (coefficient != 1 && coefficient != -1) continue;
    const bool digit = monomial.is(Op::Mod) && monomial[0].is(Op::Div);
    if (!digit && !monomial.is(Op::Div)) continue;
    const Expr quotient = digit ? monomial[0] : monomial;
    if (interval(quotient[1]).lo < 1 || (digit && interval(monomial[1]).lo < 1)) continue;
    LinearSum rest = without_term(difference, i);
    const LinearSum x =
        normalizer_.linear(digit ? quotient[0] % (quotient[1] * monomial[1]) : quotient[0]);
    const LinearSum& a = sum_of(quotient[1]);
    const bool lower = coefficient == 1;
    if (!lower) {
      const auto up = checked_add(rest.constant, 1);
      if (!up) continue;
      rest.constant = *up;
    }
    const auto scaled = multiply(rest, a);
    auto result = scaled ? add(*scaled, x, coefficient) : std::nullopt;
    if (!result || (!lower && result->constant == INT64_MIN)) continue;
    if (!lower) result->constant -= 1;
    if (cost(*result) >= cost(difference)) continue;
    if (!bounds_.fits(*result, difference, x)) continue;
    difference = *result;
    rules_.count(lower ? "order/div-lower" : "order/div-upper");
    return true;
  }
  return false;
}

// Writes 0 <= difference with each term on the side where it is positive: `i*4 + j < N`, `2 <= x`.
// The constant is where it is not negative, or opposite to the terms if all are on one side.
Expr Comparisons::write_order(const LinearSum& difference) {
  auto [right, left] = by_sign(difference);
  const std::int64_t c = difference.constant;
  if (left.terms.empty() || c == INT64_MAX || c == INT64_MIN) {
    (c == INT64_MIN ? right : left).constant = c == INT64_MIN ? c : -c;
    return pool_.make(Op::Le, to_expr(pool_, left), to_expr(pool_, right));
  }
  if (c == 0 && !right.terms.empty()) {
    return pool_.make(Op::Le, to_expr(pool_, left), to_expr(pool_, right));
  }
  if (right.terms.empty() || c >= 0) {
    right.constant = c + 1;
  } else {
    left.constant = -(c + 1);
  }
  return pool_.make(Op::Lt, to_expr(pool_, left), to_expr(pool_, right));
}

Expr Comparisons::rewrite_equal(Expr a, Expr b) {
  auto difference = normalizer_.difference(a, b);
  if (!difference) return eq(normalizer_.normalize(a), normalizer_.normalize(b));
  recomposition_.recompose_all(*difference);
  const Interval range = interval(*difference);
  if (range == Interval::point(0)) return pool_.truth(true);
  if (!range.contains(0) || !bounds_.congruence(*difference).contains(0)) return pool_.truth(false);
  auto [left, right] = by_sign(*difference);
  std::int64_t c = difference->constant;
  if (left.terms.empty() && c != INT64_MIN) {
    std::swap(left, right);
    c = -c;
  }
  if (c < 0 && c != INT64_MIN) {
    right.constant = -c;
  } else {
    left.constant = c;
  }
  return eq(to_expr(pool_, left), to_expr(pool_, right));
}

}  // namespace selvage
