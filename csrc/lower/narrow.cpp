#include <selvage/base/integer.h>
#include <selvage/lower/narrow.h>

#include <algorithm>
#include <unordered_map>

namespace selvage {

namespace {

using Term = LinearSum::Term;

constexpr std::int64_t kLargest64 = INT64_MAX - 1;  // an interval that ends at INT64_MAX has no end

class Narrowing {
 public:
  Narrowing(Simplifier& ranges, std::int64_t largest) : ranges_(ranges), largest_(largest) {}

  Expr of(Expr e) {
    if (e.args().empty() || e.is(Op::Let)) return e;
    const auto [it, fresh] = memo_.try_emplace(e.id(), e);
    if (!fresh) return it->second;
    const Expr result = is_sum(e) && !fits(e) ? regrouped(e) : of_operands(e);
    return memo_[e.id()] = result;
  }

 private:
  // Does every part of the sum fit, down to the atoms?
  bool fits(Expr e) {
    if (!range(e).within(-largest_, largest_)) return false;
    return !is_sum(e) || (fits(e[0]) && fits(e[1]));
  }

  // Multiplied out, a product may have no range that fits 64 bits; as it is written it may.
  Interval range(Expr e) {
    const Interval known = ranges_.interval(e);
    if (!is_sum(e)) return known;
    const Interval a = range(e[0]), b = range(e[1]);
    return intersect(known, e.is(Op::Add) ? a + b : e.is(Op::Sub) ? a - b : a * b);
  }

  Expr of_operands(Expr e) {
    std::vector<Expr> args;
    for (Expr a : e.args()) args.push_back(of(a));
    return with_operands(e, args);
  }

  // inner * g + rest, for one of the coefficients g, as much of the sum in `inner` as is divisible.
  Expr regrouped(Expr e) {
    const LinearSum sum = to_linear(e);
    std::vector<std::int64_t> factors;
    for (const Term& t : sum.terms) {
      const bool is_bounded = ranges_.interval(t.monomial).within(-largest_, largest_);
      if (!is_bounded || t.coefficient == INT64_MIN) return of_operands(e);
      factors.push_back(std::abs(t.coefficient));
    }
    std::sort(factors.rbegin(), factors.rend());
    for (std::int64_t g : factors) {
      if (g == 1) break;
      // Of the constant, the multiple of g below it or the one above.
      for (std::int64_t more : {0, 1}) {
        const Expr split = split_off(sum, g, floor_div(sum.constant, g) + more);
        if (split.valid() && fits(split)) return of_operands(split);
      }
    }
    return of_operands(e);
  }

  Expr split_off(const LinearSum& sum, std::int64_t g, std::int64_t constant) {
    LinearSum inner, rest;
    for (const Term& t : sum.terms) {
      if (t.coefficient % g == 0) {
        inner.terms.push_back({t.monomial, t.coefficient / g});
      } else {
        rest.terms.push_back(t);
      }
    }
    inner.constant = constant;
    const auto multiple = checked_mul(constant, g);
    const auto left = multiple ? checked_sub(sum.constant, *multiple) : std::nullopt;
    if (!left) return {};
    rest.constant = *left;
    ExprPool& pool = ranges_.pool();
    const Expr product = to_expr(pool, inner) * g;
    return rest.is_zero() ? product : product + to_expr(pool, rest);
  }

  Simplifier& ranges_;
  std::int64_t largest_;
  std::unordered_map<std::uint32_t, Expr> memo_;
};

}  // namespace

Expr narrowed(Expr e, Simplifier& ranges) {
  return Narrowing(ranges, kLargest64).of(Narrowing(ranges, INT32_MAX).of(e));
}

}  // namespace selvage
