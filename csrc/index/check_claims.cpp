#include <selvage/expr/symbols.h>
#include <selvage/index/check_claims.h>

#include <algorithm>

namespace selvage {

Verdict CheckClaims::ask(std::span<const Expr> others, Expr claim) {
  std::vector<Expr> all(others.begin(), others.end());
  all.push_back(claim);
  const std::size_t nodes = reachable(all, true).size();
  if (nodes > std::min(kLargest, nodes_left_)) return Unknown{claim};
  nodes_left_ -= nodes;
  Facts facts = request_.simplifier.facts();
  for (Expr e : others) facts.assume(e);
  return Simplifier(std::move(facts)).prove(claim);
}

std::optional<std::vector<std::uint32_t>> CheckClaims::failing(std::span<const Expr> conditions,
                                                               const Refuted& refuted) {
  const std::vector<Expr> symbols = symbols_in(refuted.point);
  if (!uses_only(conditions, symbols)) return std::nullopt;
  Tape tape(conditions, symbols);
  if (!tape.evaluate(values_in(refuted.point))) return std::nullopt;
  std::vector<std::uint32_t> list;
  for (std::uint32_t i = 0; i < conditions.size(); ++i) {
    if (tape.root(i) == 0) list.push_back(i);
  }
  return list;
}

}  // namespace selvage
