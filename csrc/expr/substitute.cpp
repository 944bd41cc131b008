#include <selvage/expr/substitute.h>
#include <selvage/expr/tape.h>

#include <algorithm>

namespace selvage {

namespace {

Expr replaced(Expr root, const Environment& environment, bool keeps_lets) {
  if (root.args().empty()) {
    const auto means_it = [&](const auto& meaning) { return same(meaning.first, root); };
    const auto it = std::ranges::find_if(environment, means_it);
    return it == environment.end() ? root : it->second;
  }
  const std::vector<Expr> nodes = reachable(std::span(&root, 1), true);  // operands first
  std::vector<Expr> made = nodes;
  std::vector<char> is_given(nodes.size(), 0);
  bool any = false;
  for (const auto& [symbol, value] : environment) {  // the first of several meanings counts
    const std::size_t at = position_of(symbol, nodes);
    if (at == nodes.size() || is_given[at]) continue;
    is_given[at] = 1;
    made[at] = value;
    any = any || !same(symbol, value);
  }
  const auto is_let = [](Expr e) { return e.is(Op::Let); };
  if (!any && (keeps_lets || std::none_of(nodes.begin(), nodes.end(), is_let))) return root;
  std::vector<Expr> operands;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Expr e = nodes[i];
    if (is_given[i] || e.args().empty()) continue;
    operands.clear();
    bool changed = false;
    for (Expr operand : e.args()) {
      operands.push_back(made[position_of(operand, nodes)]);
      changed = changed || !same(operands.back(), operand);
    }
    if (is_let(e) && !keeps_lets) {
      made[i] = operands[0];
    } else if (changed) {
      made[i] = with_operands(e, operands);
    }
  }
  return made.back();  // the root has the greatest id
}

}  // namespace

Expr substitute(Expr e, const Environment& environment) {
  return environment.empty() ? e : replaced(e, environment, true);
}

Expr written_out(Expr e, const Environment& environment) { return replaced(e, environment, false); }

}  // namespace selvage
