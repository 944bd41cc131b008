#include <selvage/expr/conjuncts.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/kernel/verify_premises.h>

#include <algorithm>

namespace selvage {

bool follows_from_one(const Facts& facts, Expr claim) {
  constexpr std::size_t kMostConditions = 12;
  const std::vector<Expr>& conditions = facts.assumptions();
  if (std::ranges::any_of(conditions, [](Expr c) { return c.is_false(); })) return true;
  if (conditions.empty() || conditions.size() > kMostConditions) return false;
  return std::ranges::all_of(conjuncts_of(claim), [&](Expr part) {
    // The innermost ones are the last.
    return std::any_of(conditions.rbegin(), conditions.rend(), [&](Expr condition) {
      Facts alone = facts.of_symbols();
      alone.assume(condition);
      return Simplifier(std::move(alone)).proves(part);
    });
  });
}

bool follows_where_fixed(const AccessMap& map, std::size_t scope, Expr claim) {
  std::vector<Expr> fixed;
  Environment values;
  for (PlaceId id : map.scope(scope).loops) {
    const Expr variable = map.places()[id].variable;
    const Expr value = map.at(scope).simplify(variable);
    if (!value.is(Op::Const)) continue;
    fixed.push_back(variable);
    values.emplace_back(variable, value);
  }
  if (fixed.empty()) return false;
  const Facts& known = map.at(scope).facts();
  Facts facts = known.without(fixed).of_symbols();
  for (Expr c : known.assumptions()) {
    const std::vector<Expr> used = symbols_of(std::span(&c, 1));
    const auto is_used = [&](Expr s) { return contains(used, s); };
    if (std::ranges::any_of(fixed, is_used)) facts.assume(substitute(c, values));
  }
  return follows_from_one(facts, substitute(claim, values));
}

}  // namespace selvage
