#include <selvage/expr/tape.h>
#include <selvage/legality/substitute.h>

#include <algorithm>

namespace selvage {

Expr substitute(Expr root, const Substitution& values) {
  std::unordered_map<std::uint32_t, Expr> made;
  std::vector<Expr> operands;
  for (Expr e : reachable(std::span(&root, 1), true)) {  // operands first
    if (const auto it = values.find(e.id()); it != values.end()) {
      made.emplace(e.id(), it->second);
      continue;
    }
    operands.clear();
    bool changed = false;
    for (Expr operand : e.args()) {
      operands.push_back(made.at(operand.id()));
      changed = changed || !same(operands.back(), operand);
    }
    if (!changed) {
      made.emplace(e.id(), e);
    } else {
      made.emplace(e.id(), e.is(Op::Let) ? e.pool().let(operands[0]) : with_operands(e, operands));
    }
  }
  return made.at(root.id());
}

}  // namespace selvage
