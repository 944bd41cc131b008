#include <selvage/expr/tape.h>
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

// What the claim does not speak of may have any value, and every loop has a 0.
CheckClaims::Point CheckClaims::in_order(const Refuted& refuted) const {
  Point point{std::vector<std::int64_t>(request_.variables.size(), 0), {}};
  for (const auto& [symbol, value] : refuted.point) {
    const auto it = std::find_if(request_.variables.begin(), request_.variables.end(),
                                 [&, s = symbol](Expr v) { return same(v, s); });
    if (it == request_.variables.end()) {
      point.sizes.emplace_back(symbol, value);
    } else {
      point.loops[std::size_t(it - request_.variables.begin())] = value;
    }
  }
  return point;
}

std::optional<std::vector<std::uint32_t>> CheckClaims::failing(std::span<const Expr> conditions,
                                                               const Refuted& refuted) {
  std::vector<Expr> symbols;
  std::vector<std::int64_t> values;
  for (const auto& [symbol, value] : refuted.point) {
    symbols.push_back(symbol);
    values.push_back(value);
  }
  for (Expr s : symbols_of(conditions)) {
    if (std::none_of(symbols.begin(), symbols.end(), [&](Expr e) { return same(e, s); })) {
      return std::nullopt;
    }
  }
  Tape tape(conditions, symbols);
  if (!tape.evaluate(values)) return std::nullopt;
  std::vector<std::uint32_t> list;
  for (std::uint32_t i = 0; i < conditions.size(); ++i) {
    if (tape.root(i) == 0) list.push_back(i);
  }
  return list;
}

}  // namespace selvage
