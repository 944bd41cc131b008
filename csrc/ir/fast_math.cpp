#include <selvage/ir/fast_math.h>

#include <cmath>
#include <limits>

namespace selvage {

namespace {

// Smaller operands count as 0, and the reciprocals of greater ones do.
constexpr double kLeast = 0x1p-126, kMost = 0x1p126;

}  // namespace

bool has_fast_form(Function f) { return fast_error(f, 1, 1) > 0; }

// They are made of ex2 (2.9 half units), lg2 (4, of 1 if that is more), rcp and sqrt (2) and rsqrt
// (2.2) of PTX, and of operations that round (1 each); ex2 multiplies the error of its operand by
// as much as the operand, so that of exp grows with it. Rsqrt is defined by two roundings itself.
double fast_error(Function f, double a, double b) {
  constexpr double kOpen = std::numeric_limits<double>::infinity();
  const bool is_normal = std::abs(a) >= kLeast || a == 0;
  const bool has_reciprocal = std::abs(b) >= kLeast && std::abs(b) <= kMost;
  switch (f) {
    case Function::Mul: return 1;
    case Function::Exp: return 4 + 1.5 * std::abs(a);
    case Function::Exp2: return 6;
    case Function::Log:
    case Function::Log2: return is_normal ? 8 : kOpen;
    case Function::TrueDiv:
    case Function::Reciprocal: return has_reciprocal ? 4 : kOpen;
    case Function::Rsqrt: return is_normal ? 8 : kOpen;
    case Function::Sqrt: return 4;
    case Function::Tanh: return 16;
    case Function::Sigmoid: return 8;
    case Function::Silu: return 16;
    case Function::GeluTanh: return 32;
    case Function::Add:
    case Function::Sub:
    case Function::FloorDiv:
    case Function::Mod:
    case Function::Neg:
    case Function::Min:
    case Function::Max:
    case Function::FMin:
    case Function::FMax:
    case Function::Lt:
    case Function::Le:
    case Function::Eq:
    case Function::Ne:
    case Function::And:
    case Function::Or:
    case Function::Not:
    case Function::Select:
    case Function::Abs:
    case Function::Relu:
    case Function::Floor:
    case Function::Ceil:
    case Function::Sin:
    case Function::Cos:
    case Function::Erf:
    case Function::Pow:
    case Function::Gelu:
    case Function::Expm1:
    case Function::Log1p:
    case Function::Round:
    case Function::Trunc:
    case Function::Sign:
    case Function::IsNan:
    case Function::IsInf:
    case Function::IsFinite:
    case Function::Softplus:
    case Function::BitAnd:
    case Function::BitOr:
    case Function::BitXor:
    case Function::BitNot:
    case Function::ShiftLeft:
    case Function::ShiftRight:
    case Function::RandomBits:
    case Function::RandomUniform:
    case Function::RandomNormal: return 0;
  }
  return 0;
}

}  // namespace selvage
