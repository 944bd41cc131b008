#include <selvage/confirm/hints.h>
#include <selvage/confirm/quotients.h>
#include <selvage/confirm/walk.h>

#include <algorithm>
#include <bit>
#include <set>

namespace selvage {

namespace {

constexpr std::size_t kMostDifferences = 40;  // past it they cost more than they tell

// Numbers that are at least 0, or may be: what is compared, lesser from greater, and where that
// does not hold; remainders, and divisors less their remainders. Those with numbers for bounds
// last.
std::vector<Expr> differences(std::span<const Expr> expressions) {
  std::vector<Expr> list, of_numbers;
  const auto add_both = [&](Expr e, Expr g) {
    if (g.size() > kLargestInHints) return;
    const bool has_number = e[0].is(Op::Const) || e[1].is(Op::Const);
    for (Expr d : {g, -1 - g}) (has_number ? of_numbers : list).push_back(d);
  };
  for (Expr e : operands_first(expressions)) {
    if (e.is(Op::Le)) add_both(e, e[1] - e[0]);
    if (e.is(Op::Lt)) add_both(e, e[1] - e[0] - 1);
  }
  for (const Quotient& q : quotients_of(expressions)) {
    if (q.dividend.size() > kLargestInHints) continue;
    const Expr r = q.dividend - q.divisor * q.quotient();
    for (Expr d : {r, q.divisor - 1 - r})
      (q.divisor.is(Op::Const) ? of_numbers : list).push_back(d);
  }
  list.insert(list.end(), of_numbers.begin(), of_numbers.end());
  return list;
}

}  // namespace

std::vector<Expr> euclid_hints(std::span<const Expr> expressions) {
  std::vector<Expr> hints;
  for (const Quotient& q : quotients_of(expressions)) {
    const Expr d = q.divisor, r = q.remainder();
    if (d.is_const(0)) continue;
    const Expr is_defined = d.is(Op::Const) ? d.pool().truth(true) : !eq(d, 0);
    hints.push_back(implies(is_defined, eq(q.dividend, d * q.quotient() + r) && 0 <= r));
    hints.push_back(implies(positive(d), r < d));
    if (d.is(Op::Sub)) hints.push_back(implies(d < 0, r < 0 - d));  // 0 - a
  }
  return hints;
}

std::vector<Expr> product_hints(std::span<const Expr> expressions) {
  std::vector<Expr> hints, some = differences(expressions), ns = multipliers(expressions);
  keep_first(some, kMostDifferences);
  keep_first(ns, kMostFactors);
  for (Expr n : ns) {
    for (Expr g : some) hints.push_back(implies(0 <= g && 1 <= n, 0 <= g * (n - 1)));
    for (Expr m : ns) hints.push_back(implies(1 <= m && 1 <= n, 0 <= (m - 1) * (n - 1)));
  }
  for (const Quotient& q : quotients_of(expressions)) {
    const bool is_multiplied =
        std::any_of(ns.begin(), ns.end(), [&](Expr n) { return same(n, q.dividend); });
    if (!is_multiplied) continue;
    const Expr rest = q.dividend - q.divisor * q.quotient();
    for (Expr n : ns) hints.push_back(implies(eq(rest, 0), eq(n * rest, 0)));
  }
  return hints;
}

std::vector<Expr> xor_hints(std::span<const Expr> expressions) {
  const std::vector<Expr> nodes = operands_first(expressions);
  std::set<std::int64_t> powers;
  for (Expr e : nodes) {
    if (e.is(Op::Const) && e.value() > 1 && e.value() <= INT32_MAX) {
      powers.insert(std::int64_t(std::bit_ceil(std::uint64_t(e.value()))));
    }
  }
  std::vector<Expr> hints;
  for (Expr e : nodes) {
    if (!e.is(Op::Xor)) continue;
    const Expr x = e[0], y = e[1];
    hints.push_back(eq(e, y ^ x));
    hints.push_back(eq(x ^ e, y) && eq(e ^ x, y) && eq(y ^ e, x) && eq(e ^ y, x));
    hints.push_back((eq(x, y) && eq(e, 0)) || (!eq(x, y) && !eq(e, 0)));
    hints.push_back(implies(eq(x, 0), eq(e, y)) && implies(eq(y, 0), eq(e, x)));
    for (std::int64_t p : powers) {
      hints.push_back(implies(0 <= x && x < p, eq(e / p, y / p)));
      hints.push_back(implies(0 <= y && y < p, eq(e / p, x / p)));
    }
  }
  return hints;
}

std::vector<Expr> defined(std::span<const Expr> expressions) {
  std::vector<Expr> conditions;
  for (const Quotient& q : quotients_of(expressions)) {
    const bool is_nonzero = q.divisor.is(Op::Const) && q.divisor.value() != 0;
    if (!is_nonzero) conditions.push_back(!eq(q.divisor, 0));
  }
  return conditions;
}

std::vector<Expr> factors(std::span<const Expr> expressions) {
  std::vector<Expr> list = multipliers(expressions);
  std::erase_if(list, [](Expr e) { return !e.is(Op::Symbol); });
  return list;
}

}  // namespace selvage
