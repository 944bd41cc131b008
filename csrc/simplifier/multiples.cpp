#include <selvage/base/integer.h>
#include <selvage/expr/cost.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/simplifier/multiples.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>
#include <string>

namespace selvage {

namespace {

// Whether e divides by what is not a number. Only then do products say more than congruences.
bool divides_by_sizes(Expr e) {
  const std::vector<Expr> parts = reachable(std::span(&e, 1), true);
  return std::any_of(parts.begin(), parts.end(), [](Expr part) {
    return (part.is(Op::Div) || part.is(Op::Mod)) && !part[1].is(Op::Const);
  });
}

// The facts with m * c in place of each symbol C of the expression that is a multiple of m.
struct Parts {
  Environment products, quotients;  // C -> m * c and c -> C / m
  Facts facts;
};

Parts parts_of(const Facts& facts, Expr e) {
  ExprPool& pool = facts.pool();
  const std::vector<Expr> used = symbols_of(std::span(&e, 1));
  Parts parts{{}, {}, Facts(pool)};
  std::vector<Expr> own;
  for (const Facts::Symbol& s : facts.symbols()) {
    const Congruence& c = s.congruence;
    const bool is_cut = c.modulus > 1 && c.residue == 0 && contains(used, s.symbol);
    // The name is new: no size of a file has a dot in its name.
    own.push_back(is_cut ? pool.symbol(std::string(s.symbol.name()) + ".part") : s.symbol);
    if (!is_cut) continue;
    parts.products.emplace_back(s.symbol, own.back() * c.modulus);
    parts.quotients.emplace_back(own.back(), s.symbol / c.modulus);
  }
  const auto with_products = [&](Expr bound) {
    return bound.valid() ? substitute(bound, parts.products) : bound;
  };
  for (std::size_t k = 0; k < own.size(); ++k) {
    const Facts::Symbol& s = facts.symbols()[k];
    if (same(own[k], s.symbol)) {
      parts.facts.bound(own[k], with_products(s.lo), with_products(s.hi));
      if (s.congruence.modulus > 1) {
        parts.facts.congruent(own[k], s.congruence.modulus, s.congruence.residue);
      }
      continue;
    }
    const std::int64_t m = s.congruence.modulus;
    const Expr lo = s.range.has_lo() ? pool.constant(ceil_div(s.range.lo, m)) : Expr();
    const Expr hi = s.range.has_hi() ? pool.constant(*euclid_div(s.range.hi, m)) : Expr();
    parts.facts.bound(own[k], lo, hi);
    for (Expr condition : {s.lo.valid() && !s.lo.is(Op::Const) ? s.lo <= s.symbol : Expr(),
                           s.hi.valid() && !s.hi.is(Op::Const) ? s.symbol <= s.hi : Expr()}) {
      if (condition.valid()) parts.facts.assume(with_products(condition));
    }
  }
  for (Expr condition : facts.assumptions()) parts.facts.assume(with_products(condition));
  return parts;
}

}  // namespace

Expr simplify_with_multiples(const Facts& facts, Expr e) {
  Simplifier simplifier(facts);
  const Expr simple = simplifier.simplify(e);
  if (!divides_by_sizes(simple)) return simple;
  Parts parts = parts_of(facts, e);
  if (parts.products.empty()) return simple;
  const Expr apart = Simplifier(std::move(parts.facts)).simplify(substitute(e, parts.products));
  const Expr other = simplifier.simplify(substitute(apart, parts.quotients));
  return cost_of(other).total < cost_of(simple).total ? other : simple;
}

}  // namespace selvage
