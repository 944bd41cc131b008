#include <selvage/expr/tape.h>
#include <selvage/lower/peel.h>
#include <selvage/simplifier/linear.h>

#include <algorithm>

namespace selvage {

// The condition is written 0 <= rest - a*v with a > 0, which holds exactly where v <= rest / a.
std::optional<Expr> end_of_interior(Expr condition, Expr variable, Expr extent,
                                    Simplifier& ranges) {
  if (!condition.is(Op::Lt) && !condition.is(Op::Le)) return std::nullopt;
  ExprPool& pool = ranges.pool();
  LinearSum sum = to_linear(condition[1] - condition[0]);
  const auto own = std::find_if(sum.terms.begin(), sum.terms.end(), [&](const LinearSum::Term& t) {
    return same(t.monomial, variable);
  });
  if (own == sum.terms.end() || own->coefficient >= 0 || own->coefficient == INT64_MIN) {
    return std::nullopt;
  }
  const std::int64_t a = -own->coefficient;
  sum.terms.erase(own);
  const Expr rest = to_expr(pool, sum);
  const std::vector<Expr> symbols = symbols_of(rest);
  if (std::any_of(symbols.begin(), symbols.end(), [&](Expr s) { return same(s, variable); })) {
    return std::nullopt;
  }
  // end = rest / a + 1, or ceil(rest / a) where the comparison is strict.
  const Expr end = condition.is(Op::Le) ? rest / a + 1 : (rest + (a - 1)) / a;
  return ranges.simplify(max(min(end, extent), pool.constant(0)));
}

}  // namespace selvage
