#include <selvage/simplifier/width.h>

namespace selvage {

Width width_of(const Interval& values) {
  if (values.within(INT32_MIN, INT32_MAX)) return Width::Int32;
  return values.has_lo() && values.has_hi() ? Width::Int64 : Width::Beyond;
}

Interval range_of_operator(Expr n, const Interval* operand) {
  switch (n.op()) {
    case Op::Const:
    case Op::Bool: return Interval::point(n.value());
    case Op::Symbol:
    case Op::Load:
    case Op::Call: return Interval::everything();
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

}  // namespace selvage
