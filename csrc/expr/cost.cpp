#include <selvage/expr/cost.h>
#include <selvage/expr/tape.h>

#include <algorithm>
#include <unordered_map>

namespace selvage {

namespace {

// -1 * a: one subtraction, from 0 or from the sum that it is a term of.
bool is_sign(Expr e) {
  return e.is(Op::Mul) && (e[0].is_const(-1) || e[1].is_const(-1)) &&
         !(e[0].is_const(1) || e[1].is_const(1));
}

std::int64_t product_weight(Expr e) {
  if (e[0].is_const(1) || e[1].is_const(1)) return 0;
  return is_sign(e) ? 1 : 3;
}

}  // namespace

std::int64_t operator_cost(Expr e) {
  switch (e.op()) {
    case Op::Const:
    case Op::Bool:
    case Op::Symbol:
    case Op::Let: return 0;
    case Op::Div:
    case Op::Mod: return 10;
    case Op::Mul: return product_weight(e);
    case Op::Not: return e[0].is(Op::Eq) ? 0 : 1;  // !(a == b) is the one comparison a != b
    case Op::Select: return 2;
    case Op::Add: return is_sign(e[0]) || is_sign(e[1]) ? 0 : 1;  // the sign is the subtraction
    case Op::Sub:
    case Op::Min:
    case Op::Max:
    case Op::Xor:
    case Op::Lt:
    case Op::Le:
    case Op::Eq:
    case Op::And:
    case Op::Or:
    case Op::Load:
    case Op::Call: return 1;
  }
  return 0;
}

Cost cost_of(Expr e) {
  std::unordered_map<std::uint32_t, Cost> costs;
  for (Expr n : reachable({&e, 1}, false)) {
    Cost& cost = costs[n.id()];
    cost.total = operator_cost(n);
    cost.divisions = n.is(Op::Div) || n.is(Op::Mod) ? 1 : 0;
    if (n.is(Op::Let)) continue;
    for (Expr a : n.args()) {
      const Cost& operand = costs.at(a.id());
      cost.total = std::min(Cost::kMost, cost.total + operand.total);
      cost.divisions = std::min(Cost::kMost, cost.divisions + operand.divisions);
    }
  }
  return costs.at(e.id());
}

std::int64_t clauses_of(Expr e) {
  std::int64_t clauses = 0;
  for (std::vector<Expr> open{e}; !open.empty();) {
    const Expr n = open.back();
    open.pop_back();
    if (n.is(Op::And)) {
      open.insert(open.end(), n.args().begin(), n.args().end());
    } else if (!n.is_true()) {
      ++clauses;
    }
  }
  return clauses;
}

}  // namespace selvage
