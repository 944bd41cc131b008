#include <selvage/expr/expr.h>
#include <selvage/ir/function_text.h>

namespace selvage {

int precedence(Function f) {
  switch (f) {
    case Function::Mul:
    case Function::TrueDiv:
    case Function::FloorDiv:
    case Function::Mod: return info(Op::Mul).precedence;
    case Function::Add:
    case Function::Sub: return info(Op::Add).precedence;
    case Function::Lt:
    case Function::Le: return info(Op::Lt).precedence;
    case Function::Eq:
    case Function::Ne: return info(Op::Eq).precedence;
    case Function::And: return info(Op::And).precedence;
    case Function::Or: return info(Op::Or).precedence;
    case Function::Neg:
    case Function::Not: return info(Op::Not).precedence;
    case Function::Min:
    case Function::Max:
    case Function::FMin:
    case Function::FMax:
    case Function::Select:
    case Function::Abs:
    case Function::Relu:
    case Function::Exp:
    case Function::Log:
    case Function::Tanh:
    case Function::Sqrt:
    case Function::Rsqrt:
    case Function::Floor:
    case Function::Ceil:
    case Function::Sin:
    case Function::Cos:
    case Function::Erf:
    case Function::Pow:
    case Function::Sigmoid:
    case Function::Silu:
    case Function::Gelu:
    case Function::Exp2:
    case Function::Expm1:
    case Function::Log2:
    case Function::Log1p:
    case Function::Reciprocal:
    case Function::Round:
    case Function::Trunc:
    case Function::Sign:
    case Function::IsNan:
    case Function::IsInf:
    case Function::IsFinite:
    case Function::GeluTanh:
    case Function::Softplus:
    case Function::BitAnd:
    case Function::BitOr:
    case Function::BitXor:
    case Function::BitNot:
    case Function::ShiftLeft:
    case Function::ShiftRight:
    case Function::RandomBits:
    case Function::RandomUniform:
    case Function::RandomNormal: return kCall;
  }
  return kCall;
}

}  // namespace selvage
