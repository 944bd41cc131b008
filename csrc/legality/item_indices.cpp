#include <selvage/expr/symbols.h>
#include <selvage/expr/tape.h>
#include <selvage/legality/item_indices.h>
#include <selvage/simplifier/linear.h>

#include <algorithm>

namespace selvage {

ItemIndices item_indices(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& nest,
                         std::span<const Expr> inner) {
  ItemIndices items{{}, {inner.begin(), inner.end()}, nest.ranges->facts()};
  const auto is_inner = [&](Expr v) { return contains(inner, v); };
  for (DomainId d : visited_domain(fusion[nest.tensor])) {
    const Expr index = nest.ranges->simplify((*nest.coordinates)[d]);
    const Expr extent = schedule.graph()[d].extent;
    const bool is_whole = nest.ranges->proves(index < extent);
    if (is_whole || !std::ranges::all_of(symbols_of(index), is_inner)) continue;
    const auto is_free = [&](Expr v) {
      return std::ranges::none_of(items.loops, [&](const auto& known) {
        return same(known.first, v) || contains(symbols_of(known.second), v);
      });
    };
    const LinearSum sum = to_linear(index);
    const auto unit = std::ranges::find_if(sum.terms, [&](const LinearSum::Term& term) {
      return term.coefficient == 1 && is_inner(term.monomial) && is_free(term.monomial);
    });
    if (unit == sum.terms.end()) continue;
    const std::string name = "item" + std::to_string(items.loops.size());
    const Expr item = fresh_symbol(fusion, name, items.variables);
    items.facts.loop(item, extent);
    items.variables.push_back(item);
    items.loops.emplace_back(unit->monomial, item - (index - unit->monomial));
  }
  return items;
}

}  // namespace selvage
