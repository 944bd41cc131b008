#include <selvage/expr/tape.h>
#include <selvage/simplifier/tree_width.h>

#include <algorithm>
#include <unordered_map>

namespace selvage {

Width width_of(const Interval& values) {
  if (values.within(INT32_MIN, INT32_MAX)) return Width::Int32;
  return values.has_lo() && values.has_hi() ? Width::Int64 : Width::Beyond;
}

namespace {

Interval apply(Expr n, const Interval* operand, const std::function<Interval(Expr)>& range) {
  switch (n.op()) {
    case Op::Const:
    case Op::Bool: return Interval::point(n.value());
    case Op::Symbol:
    case Op::Load:
    case Op::Call: return range(n);
    case Op::Let: return operand[0];
    case Op::Add: return operand[0] + operand[1];
    case Op::Sub: return operand[0] - operand[1];
    case Op::Mul: return operand[0] * operand[1];
    case Op::Div: return operand[0] / operand[1];
    case Op::Mod: return operand[0] % operand[1];
    case Op::Min: return min(operand[0], operand[1]);
    case Op::Max: return max(operand[0], operand[1]);
    case Op::Xor: return operand[0] ^ operand[1];
    case Op::Select: return hull(operand[1], operand[2]);
    case Op::Lt:
    case Op::Le:
    case Op::Eq:
    case Op::Not:
    case Op::And:
    case Op::Or: return {0, 1};
  }
  return Interval::everything();
}

// Of an expression that is small as a tree: nothing need be remembered.
Interval walk(Expr n, const std::function<Interval(Expr)>& range, Width& widest) {
  Interval operands[3];
  const bool opaque = n.is(Op::Load) || n.is(Op::Call);
  for (std::size_t i = 0; i < n.args().size(); ++i) {
    const Interval v = walk(n[i], range, widest);
    if (!opaque) operands[i] = v;
  }
  const Interval v = apply(n, operands, range);
  widest = std::max(widest, width_of(v));
  return v;
}

bool has_let(Expr e) {
  return e.is(Op::Let) || std::any_of(e.args().begin(), e.args().end(), has_let);
}

}  // namespace

Width tree_width(Expr e, const std::function<Interval(Expr)>& range) {
  constexpr std::uint32_t kSmall = 200;
  Width widest = Width::Int32;
  if (e.size() <= kSmall && !has_let(e)) {
    walk(e, range, widest);
    return widest;
  }
  std::unordered_map<std::uint32_t, Interval> values;
  for (Expr n : reachable(std::span(&e, 1), true)) {
    Interval operands[3];
    const bool opaque = n.is(Op::Load) || n.is(Op::Call);
    for (std::size_t i = 0; !opaque && i < n.args().size(); ++i) {
      operands[i] = values.at(n[i].id());
    }
    const Interval v = apply(n, operands, range);
    values.emplace(n.id(), v);
    widest = std::max(widest, width_of(v));
  }
  return widest;
}

}  // namespace selvage
