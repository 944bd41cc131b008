#include <selvage/base/integer.h>
#include <selvage/lower/narrow.h>

#include <algorithm>

namespace selvage {

namespace {

using Term = LinearSum::Term;

// INT64_MAX as the end of an interval means that it is unbounded.
constexpr std::int64_t kLargestOf[] = {INT32_MAX, INT64_MAX - 1};

bool is_within(const Interval& range, std::size_t width) {
  return range.within(-kLargestOf[width], kLargestOf[width]);
}

}  // namespace

Expr NarrowForms::of(Expr e, std::size_t width) {
  if (e.args().empty() || e.is(Op::Let)) return e;
  const auto [it, fresh] = narrowed_[width].try_emplace(e.id(), e);
  if (!fresh) return it->second;
  const Expr result = is_sum(e) && !fits(e, width) ? regrouped(e, width) : of_operands(e, width);
  return narrowed_[width][e.id()] = result;
}

// Does every part of the sum fit, down to the atoms?
bool NarrowForms::fits(Expr e, std::size_t width) {
  if (!is_within(range(e), width)) return false;
  return !is_sum(e) || (fits(e[0], width) && fits(e[1], width));
}

// A product whose multiplied-out form has no 64-bit range may have one as it is written.
Interval NarrowForms::range(Expr e) {
  if (!is_sum(e)) return ranges_.interval(e);
  if (const auto it = ranges_of_sums_.find(e.id()); it != ranges_of_sums_.end()) return it->second;
  const Interval a = range(e[0]), b = range(e[1]);
  const Interval written = e.is(Op::Add) ? a + b : e.is(Op::Sub) ? a - b : a * b;
  return ranges_of_sums_[e.id()] = intersect(ranges_.interval(e), written);
}

const LinearSum& NarrowForms::linear(Expr e) {
  const auto [it, fresh] = linear_.try_emplace(e.id());
  if (fresh) it->second = to_linear(e);
  return it->second;
}

Expr NarrowForms::of_operands(Expr e, std::size_t width) {
  std::vector<Expr> args;
  for (Expr a : e.args()) args.push_back(of(a, width));
  return with_operands(e, args);
}

// The sum as inner * g + rest, where g is the absolute value of one of its coefficients, and the
// terms whose coefficients g divides are in `inner`.
Expr NarrowForms::regrouped(Expr e, std::size_t width) {
  const LinearSum& sum = linear(e);
  std::vector<std::int64_t> factors;
  for (const Term& t : sum.terms) {
    const bool is_bounded = is_within(ranges_.interval(t.monomial), width);
    if (!is_bounded || t.coefficient == INT64_MIN) return of_operands(e, width);
    factors.push_back(std::abs(t.coefficient));
  }
  std::sort(factors.rbegin(), factors.rend());
  for (std::int64_t g : factors) {
    if (g == 1) break;
    // `inner` takes the multiple of g just below the constant, or the one above.
    for (std::int64_t more : {0, 1}) {
      const Expr split = split_off(sum, g, floor_div(sum.constant, g) + more);
      if (split.valid() && fits(split, width)) return of_operands(split, width);
    }
  }
  return of_operands(e, width);
}

Expr NarrowForms::split_off(const LinearSum& sum, std::int64_t g, std::int64_t constant) {
  auto [inner, rest] = divisible_terms(sum, g);
  inner.constant = constant;
  const auto multiple = checked_mul(constant, g);
  const auto left = multiple ? checked_sub(sum.constant, *multiple) : std::nullopt;
  if (!left) return {};
  rest.constant = *left;
  ExprPool& pool = ranges_.pool();
  const Expr product = to_expr(pool, inner) * g;
  return rest.is_zero() ? product : product + to_expr(pool, rest);
}

}  // namespace selvage
