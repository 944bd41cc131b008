#include <selvage/base/check.h>
#include <selvage/codegen/function_form.h>
#include <selvage/codegen/index_text.h>

namespace selvage {

FunctionForm form_of(Function f) {
  switch (f) {
    case Function::Add: return {12, "$0 + $1", "@wrap_add($0, $1)"};
    case Function::Sub: return {12, "$0 - $1", "@wrap_sub($0, $1)"};
    case Function::Mul: return {13, "$0 * $1", "@wrap_mul($0, $1)"};
    case Function::TrueDiv: return {13, "$0 / $1", nullptr};
    case Function::FloorDiv:
      return {kCall, "@floor_quotient($0, $1)", "@euclid_div($0, $1)", "@quotient_or_zero($0, $1)"};
    case Function::Mod:
      return {kCall, "@remainder_of($0, $1)", "@euclid_mod($0, $1)", "@modulus_or_zero($0, $1)"};
    case Function::Neg: return {kPrefix, "-$0", "@wrap_neg($0)"};
    case Function::Min: return {kCall, "@min_or_nan($0, $1)", "@min_of($0, $1)"};
    case Function::Max: return {kCall, "@max_or_nan($0, $1)", "@max_of($0, $1)"};
    case Function::FMin: return {kCall, "fmin$f($0, $1)", "@min_of($0, $1)"};
    case Function::FMax: return {kCall, "fmax$f($0, $1)", "@max_of($0, $1)"};
    case Function::Lt: return {10, "$0 < $1", "$0 < $1"};
    case Function::Le: return {10, "$0 <= $1", "$0 <= $1"};
    case Function::Eq: return {9, "$0 == $1", "$0 == $1"};
    case Function::Ne: return {9, "$0 != $1", "$0 != $1"};
    case Function::And: return {5, "$0 && $1", "$0 && $1"};
    case Function::Or: return {4, "$0 || $1", "$0 || $1"};
    case Function::Not: return {kPrefix, "!$0", "!$0"};
    case Function::Select: return {kConditional, "$0 ? $1 : $2", "$0 ? $1 : $2"};
    case Function::Abs: return {kCall, "fabs$f($0)", "@wrap_abs($0)", "($0)"};
    case Function::Relu: return {kCall, "@relu($0)", "@relu($0)"};
    case Function::Exp: return {kCall, "exp$f($0)", nullptr};
    case Function::Log: return {kCall, "log$f($0)", nullptr};
    case Function::Tanh: return {kCall, "tanh$f($0)", nullptr};
    case Function::Sqrt: return {kCall, "sqrt$f($0)", nullptr};
    case Function::Rsqrt: return {kCall, "rsqrt$f($0)", nullptr};
    case Function::Floor: return {kCall, "floor$f($0)", nullptr};
    case Function::Ceil: return {kCall, "ceil$f($0)", nullptr};
    case Function::Sin: return {kCall, "sin$f($0)", nullptr};
    case Function::Cos: return {kCall, "cos$f($0)", nullptr};
    case Function::Erf: return {kCall, "erf$f($0)", nullptr};
    case Function::Pow: return {kCall, "pow$f($0, $1)", nullptr};
    case Function::Sigmoid: return {kCall, "@sigmoid($0)", nullptr};
    case Function::Silu: return {kCall, "@silu($0)", nullptr};
    case Function::Gelu: return {kCall, "@gelu($0)", nullptr};
    case Function::Exp2: return {kCall, "exp2$f($0)", nullptr};
    case Function::Expm1: return {kCall, "expm1$f($0)", nullptr};
    case Function::Log2: return {kCall, "log2$f($0)", nullptr};
    case Function::Log1p: return {kCall, "log1p$f($0)", nullptr};
    case Function::Reciprocal: return {kCall, "@reciprocal($0)", nullptr};
    case Function::Round: return {kCall, "rint$f($0)", nullptr};
    case Function::Trunc: return {kCall, "trunc$f($0)", nullptr};
    case Function::Sign: return {kCall, "@sign($0)", "@sign($0)", "@sign_or_zero($0)"};
    case Function::IsNan: return {kCall, "@is_nan($0)", nullptr};
    case Function::IsInf: return {kCall, "@is_infinite($0)", nullptr};
    case Function::IsFinite: return {kCall, "@is_finite($0)", nullptr};
    case Function::GeluTanh: return {kCall, "@gelu_tanh($0)", nullptr};
    case Function::Softplus: return {kCall, "@softplus($0)", nullptr};
    case Function::BitAnd: return {8, nullptr, "$0 & $1"};
    case Function::BitXor: return {7, nullptr, "$0 ^ $1"};
    case Function::BitOr: return {6, nullptr, "$0 | $1"};
    case Function::BitNot: return {kPrefix, nullptr, "~$0", nullptr, "!$0"};
    case Function::ShiftLeft: return {kCall, nullptr, "@shift_left($0, $1)"};
    case Function::ShiftRight:
      return {kCall, nullptr, "@shift_right($0, $1)", "@shift_right_or_zero($0, $1)"};
    case Function::RandomBits: return {kCall, nullptr, "@random_bits($0, $1)"};
    case Function::RandomUniform: return {kCall, nullptr, "@random_uniform($0, $1)"};
    case Function::RandomNormal: return {kCall, nullptr, "@random_normal($0, $1)"};
  }
  SELVAGE_CHECK(!"a function");
}

const char* fast_pattern(Function f) {
  if (f == Function::TrueDiv) return "@fast_quotient($0, $1)";
  if (f == Function::Reciprocal) return "@approx_reciprocal($0)";
  if (f == Function::Exp) return "@fast_exp($0)";
  if (f == Function::Exp2) return "@approx_exp2($0)";
  if (f == Function::Log) return "@fast_log($0)";
  if (f == Function::Log2) return "@approx_log2($0)";
  if (f == Function::Sqrt) return "@approx_sqrt($0)";
  if (f == Function::Rsqrt) return "@approx_rsqrt($0)";
  if (f == Function::Tanh) return "@fast_tanh($0)";
  if (f == Function::Sigmoid) return "@fast_sigmoid($0)";
  if (f == Function::Silu) return "@fast_silu($0)";
  if (f == Function::GeluTanh) return "@fast_gelu_tanh($0)";
  return nullptr;
}

}  // namespace selvage
