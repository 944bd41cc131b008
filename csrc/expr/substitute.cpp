#include <selvage/expr/substitute.h>
#include <selvage/expr/tape.h>

#include <unordered_map>

namespace selvage {

namespace {

Expr replaced(Expr root, const Environment& environment, bool keeps_lets) {
  std::unordered_map<std::uint32_t, Expr> made;  // by id; the first of several meanings counts
  for (const auto& [symbol, value] : environment) made.try_emplace(symbol.id(), value);
  std::vector<Expr> operands;
  for (Expr e : reachable(std::span(&root, 1), true)) {  // operands first
    if (made.contains(e.id())) continue;
    operands.clear();
    bool changed = false;
    for (Expr operand : e.args()) {
      operands.push_back(made.at(operand.id()));
      changed = changed || !same(operands.back(), operand);
    }
    if (e.is(Op::Let) && !keeps_lets) {
      made.emplace(e.id(), operands[0]);
    } else {
      made.emplace(e.id(), changed ? with_operands(e, operands) : e);
    }
  }
  return made.at(root.id());
}

}  // namespace

Expr substitute(Expr e, const Environment& environment) {
  return environment.empty() ? e : replaced(e, environment, true);
}

Expr written_out(Expr e, const Environment& environment) { return replaced(e, environment, false); }

}  // namespace selvage
