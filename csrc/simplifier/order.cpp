#include <selvage/base/integer.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>

namespace selvage {

// What is at least 0 just where lesser <= greater, or lesser < greater. Numbers past 64 bits may
// have a factor in common that goes.
std::optional<LinearSum> Simplifier::order_difference(Expr lesser, Expr greater, bool strict) {
  auto difference = this->difference(greater, lesser);
  if (has_kept_) {
    const auto linear_of = [this](Expr atom) { return LinearSum(linear(atom)); };
    auto less = selvage::wide_sum(lesser, linear_of);
    const auto more = selvage::wide_sum(greater, linear_of);
    if (less && strict) less->constant += 1;
    const auto wide = less && more ? wide_difference(*more, *less) : std::nullopt;
    if (auto narrow = wide ? wide->narrowed() : std::nullopt) return narrow;
  }
  if (difference && strict) difference = add(*difference, LinearSum::of_constant(1), -1);
  return difference;
}

// Everything is brought to "0 <= difference".
Expr Simplifier::rewrite_order(Expr lesser, Expr greater, bool strict) {
  auto difference = order_difference(lesser, greater, strict);
  if (!difference) {
    return pool().make(strict ? Op::Lt : Op::Le, normalize(lesser), normalize(greater));
  }
  recompose_all(*difference);
  while (drop_common_factor(*difference) || drop_division(*difference)) {
    recompose_all(*difference);
  }
  if (nonnegative(*difference, kProofDepth)) return pool().truth(true);
  if (auto opposite = scale(*difference, -1)) {
    if (opposite->constant > INT64_MIN &&
        nonnegative(*add(*opposite, LinearSum::of_constant(1), -1), kProofDepth))
      return pool().truth(false);
  }
  return write_order(*difference);
}

// The same for a symbolic a that all terms share, and a constant y.
bool Simplifier::drop_common_symbol(LinearSum& difference) {
  if (difference.terms.empty()) return false;
  for (Expr a : atoms_of(difference.terms.front().monomial)) {
    const Interval range = interval(a);
    if (range.lo < 1) continue;
    LinearSum x;
    bool all = true;
    for (const auto& t : difference.terms) {
      const auto others = divide_monomial(pool(), t.monomial, a);
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
    count(rule("order/common-factor"));
    return true;
  }
  return false;
}

// 0 <= a*x + y is 0 <= x, where 0 <= y < a.
bool Simplifier::drop_common_factor(LinearSum& difference) {
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
    LinearSum x, y;
    for (const auto& t : difference.terms) {
      if (t.coefficient % a == 0) {
        x.terms.push_back({t.monomial, t.coefficient / a});
      } else {
        y.terms.push_back(t);
      }
    }
    const Interval rest = interval(y);
    if (!rest.has_lo() || !rest.has_hi()) continue;
    const auto lowest = checked_add(rest.lo, difference.constant);
    const auto highest = checked_add(rest.hi, difference.constant);
    if (!lowest || !highest || floor_div(*lowest, a) != floor_div(*highest, a)) continue;
    x.constant = floor_div(*lowest, a);
    difference = x;
    count(rule("order/common-factor"));
    return true;
  }
  return false;
}

// y <= x / a is y*a <= x, and x / a <= y is x < (y + 1)*a. A digit (x / a) % b is (x % (a*b)) / a.
bool Simplifier::drop_division(LinearSum& difference) {
  for (std::size_t i = 0; i < difference.terms.size(); ++i) {
    const auto [monomial, coefficient] = difference.terms[i];
    if (coefficient != 1 && coefficient != -1) continue;
    const bool digit = monomial.is(Op::Mod) && monomial[0].is(Op::Div);
    if (!digit && !monomial.is(Op::Div)) continue;
    const Expr quotient = digit ? monomial[0] : monomial;
    if (interval(quotient[1]).lo < 1 || (digit && interval(monomial[1]).lo < 1)) continue;
    LinearSum rest = difference;
    rest.terms.erase(rest.terms.begin() + std::ptrdiff_t(i));
    const LinearSum x = linear(digit ? quotient[0] % (quotient[1] * monomial[1]) : quotient[0]);
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
    if (width(*result) > std::max(width(difference), width(x))) continue;
    difference = *result;
    count(rule(lower ? "order/div-lower" : "order/div-upper"));
    return true;
  }
  return false;
}

// Terms to the side on which they are positive; the constant on the right where there are terms on
// the left: `i*4 + j < N`, `2 <= x`.
Expr Simplifier::write_order(const LinearSum& difference) {
  LinearSum left, right;
  for (const auto& t : difference.terms) {
    if (t.coefficient < 0 && t.coefficient != INT64_MIN) {
      left.terms.push_back({t.monomial, -t.coefficient});
    } else {
      right.terms.push_back(t);
    }
  }
  const std::int64_t c = difference.constant;
  if (left.terms.empty() || c == INT64_MAX || c == INT64_MIN) {
    (c == INT64_MIN ? right : left).constant = c == INT64_MIN ? c : -c;
    return pool().make(Op::Le, to_expr(pool(), left), to_expr(pool(), right));
  }
  if (c == 0 && !right.terms.empty()) {
    return pool().make(Op::Le, to_expr(pool(), left), to_expr(pool(), right));
  }
  if (right.terms.empty() || c >= 0) {
    right.constant = c + 1;
  } else {
    left.constant = -(c + 1);
  }
  return pool().make(Op::Lt, to_expr(pool(), left), to_expr(pool(), right));
}

Expr Simplifier::rewrite_equal(Expr a, Expr b) {
  auto difference = this->difference(a, b);
  if (!difference) return eq(normalize(a), normalize(b));
  recompose_all(*difference);
  const Interval range = interval(*difference);
  if (range == Interval::point(0)) return pool().truth(true);
  if (!range.contains(0) || !congruence(*difference).contains(0)) return pool().truth(false);
  LinearSum left, right;
  for (const auto& t : difference->terms) {
    const bool negative = t.coefficient < 0 && t.coefficient != INT64_MIN;
    (negative ? right : left)
        .terms.push_back({t.monomial, negative ? -t.coefficient : t.coefficient});
  }
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
  return eq(to_expr(pool(), left), to_expr(pool(), right));
}

}  // namespace selvage
