#include <selvage/confirm/quotients.h>
#include <selvage/confirm/walk.h>

#include <set>
#include <utility>

namespace selvage {

Expr implies(Expr premise, Expr conclusion) {
  return premise.is_true() ? conclusion : !premise || conclusion;
}

Expr positive(Expr d) {
  ExprPool& pool = d.pool();
  return d.is(Op::Const) ? pool.truth(d.value() > 0) : 0 < d;
}

std::vector<Quotient> quotients_of(std::span<const Expr> expressions) {
  std::vector<Quotient> list;
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (Expr e : operands_first(expressions)) {
    const bool divides = e.is(Op::Div) || e.is(Op::Mod);
    if (divides && seen.insert({e[0].id(), e[1].id()}).second) list.push_back({e[0], e[1]});
  }
  return list;
}

std::vector<Expr> multipliers(std::span<const Expr> expressions) {
  std::vector<Expr> list;
  std::set<std::uint32_t> seen;
  const auto add = [&](Expr e) {
    const bool is_one = !e.is(Op::Const) && !e.is(Op::Mul) && e.size() <= kLargestInHints;
    if (is_one && seen.insert(e.id()).second) list.push_back(e);
  };
  for (Expr e : operands_first(expressions)) {
    if (e.is(Op::Mul) || e.is(Op::Div) || e.is(Op::Mod)) add(e[1]);
    if (e.is(Op::Mul)) add(e[0]);
  }
  return list;
}

}  // namespace selvage
