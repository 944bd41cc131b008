#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/base/philox.h>
#include <selvage/ir/scalar.h>

#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

namespace selvage {

namespace {

constexpr std::array kRows = {
#define X(name, arity, text, rule) FunctionInfo{#name, arity, text, ResultRule::rule},
    SELVAGE_FUNCTIONS(X)
#undef X
};

bool is_signed(DataType type) {
  return type == DataType::Int8 || type == DataType::Int16 || type == DataType::Int32 ||
         type == DataType::Int64;
}

int category(DataType type) { return is_floating(type) ? 2 : is_integer(type) ? 1 : 0; }

// The least type that holds both integers.
std::optional<DataType> promote_integers(DataType a, DataType b) {
  const DataType wide = size_of(a) >= size_of(b) ? a : b;
  if (is_signed(a) == is_signed(b)) return wide;
  const int bytes = is_signed(wide) && size_of(a) != size_of(b) ? size_of(wide) : 2 * size_of(wide);
  if (bytes > 8) return std::nullopt;
  return bytes == 2 ? DataType::Int16 : bytes == 4 ? DataType::Int32 : DataType::Int64;
}

// Rounds towards zero; what lies outside 64 or 32 bits becomes the nearest end.
template <class Integer, class Real>
Integer saturate(Real v) {
  using Ends = std::numeric_limits<Integer>;
  if (std::isnan(v)) return 0;
  if (v >= std::ldexp(Real(1), Ends::digits)) return Ends::max();
  if (v <= Real(Ends::min())) return Ends::min();
  return Integer(v);
}

std::int64_t add(std::int64_t a, std::int64_t b) {
  return std::int64_t(std::uint64_t(a) + std::uint64_t(b));
}
std::int64_t sub(std::int64_t a, std::int64_t b) {
  return std::int64_t(std::uint64_t(a) - std::uint64_t(b));
}
std::int64_t mul(std::int64_t a, std::int64_t b) {
  return std::int64_t(std::uint64_t(a) * std::uint64_t(b));
}
std::int64_t div(std::int64_t a, std::int64_t b) {
  if (b == -1) return sub(0, a);  // the least integer wraps around
  return euclid_div(a, b).value_or(0);
}

bool less(DataType type, std::int64_t a, std::int64_t b) {
  return type == DataType::UInt64 ? std::uint64_t(a) < std::uint64_t(b) : a < b;
}
// C's division of unsigned integers is Euclidean.
std::int64_t quotient(DataType type, std::int64_t a, std::int64_t b) {
  if (type != DataType::UInt64) return div(a, b);
  return b == 0 ? 0 : std::int64_t(std::uint64_t(a) / std::uint64_t(b));
}
std::int64_t remainder(DataType type, std::int64_t a, std::int64_t b) {
  if (type != DataType::UInt64) return euclid_mod(a, b).value_or(0);
  return b == 0 ? 0 : std::int64_t(std::uint64_t(a) % std::uint64_t(b));
}

// `type` is a compute type, so 64 bits hold a value of it as C's conversion does.
std::int64_t shift_left(DataType type, std::int64_t a, std::int64_t n) {
  const auto width = std::uint64_t(8 * size_of(type));
  return std::uint64_t(n) < width ? std::int64_t(std::uint64_t(a) << n) : 0;
}
std::int64_t shift_right(DataType type, std::int64_t a, std::int64_t n) {
  const auto width = std::uint64_t(8 * size_of(type));
  if (std::uint64_t(n) >= width) return less(type, a, 0) ? -1 : 0;
  return type == DataType::UInt64 ? std::int64_t(std::uint64_t(a) >> n) : a >> n;
}

std::uint32_t number(std::int64_t seed, std::int64_t n) {
  return random_bits(std::uint64_t(seed), std::uint64_t(n));
}

// Computes in 64 bits; Scalar::of wraps the result around to the type.
Scalar apply_integer(Function f, DataType type, std::int64_t a, std::int64_t b) {
  switch (f) {
    case Function::Add: return Scalar::of(type, add(a, b));
    case Function::Sub: return Scalar::of(type, sub(a, b));
    case Function::Mul: return Scalar::of(type, mul(a, b));
    case Function::FloorDiv: return Scalar::of(type, quotient(type, a, b));
    case Function::Mod: return Scalar::of(type, remainder(type, a, b));
    case Function::Neg: return Scalar::of(type, sub(0, a));
    case Function::Min:
    case Function::FMin: return Scalar::of(type, less(type, a, b) ? a : b);
    case Function::Max:
    case Function::FMax: return Scalar::of(type, less(type, a, b) ? b : a);
    case Function::Lt: return Scalar::of(DataType::Bool, less(type, a, b));
    case Function::Le: return Scalar::of(DataType::Bool, !less(type, b, a));
    case Function::Eq: return Scalar::of(DataType::Bool, a == b);
    case Function::Ne: return Scalar::of(DataType::Bool, a != b);
    case Function::And: return Scalar::of(DataType::Bool, a != 0 && b != 0);
    case Function::Or: return Scalar::of(DataType::Bool, a != 0 || b != 0);
    case Function::Not: return Scalar::of(DataType::Bool, a == 0);
    case Function::Abs: return Scalar::of(type, less(type, a, 0) ? sub(0, a) : a);
    case Function::Relu: return Scalar::of(type, less(type, 0, a) ? a : 0);
    case Function::Sign: return Scalar::of(type, int(less(type, 0, a)) - int(less(type, a, 0)));
    case Function::BitAnd: return Scalar::of(type, a & b);
    case Function::BitOr: return Scalar::of(type, a | b);
    case Function::BitXor: return Scalar::of(type, a ^ b);
    case Function::BitNot: return Scalar::of(type, type == DataType::Bool ? a == 0 : ~a);
    case Function::ShiftLeft: return Scalar::of(type, shift_left(type, a, b));
    case Function::ShiftRight: return Scalar::of(type, shift_right(type, a, b));
    case Function::RandomBits: return Scalar::of(type, number(a, b));
    case Function::RandomUniform: return Scalar::of(uniform_of(number(a, b)));
    case Function::RandomNormal: return Scalar::of(normal_of(number(a, b)));
    case Function::Select:
    case Function::TrueDiv:
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
    case Function::IsNan:
    case Function::IsInf:
    case Function::IsFinite:
    case Function::GeluTanh:
    case Function::Softplus: break;
  }
  SELVAGE_CHECK(!"a function of integers");
}

template <class Real>
Real euclid_remainder(Real a, Real b) {
  const Real r = std::fmod(a, b);
  return r < 0 ? r + std::abs(b) : r;
}

// fmin and fmax with the zeros in order.
template <class Real>
Real lesser(Real a, Real b) {
  if (a == b) return std::signbit(a) ? a : b;
  return std::fmin(a, b);
}
template <class Real>
Real greater(Real a, Real b) {
  if (a == b) return std::signbit(a) ? b : a;
  return std::fmax(a, b);
}

template <class Real>
Real gelu_tanh(Real x) {
  const Real inner = Real(0.7978845608028654L) * (x + Real(0.044715L) * (x * x * x));
  return Real(0.5) * x * (Real(1) + std::tanh(inner));
}

template <class Real>
Scalar apply_real(Function f, Real a, Real b) {
  const auto truth = [](bool v) { return Scalar::of(DataType::Bool, v); };
  switch (f) {
    case Function::Add: return Scalar::of(a + b);
    case Function::Sub: return Scalar::of(a - b);
    case Function::Mul: return Scalar::of(a * b);
    case Function::TrueDiv: return Scalar::of(a / b);
    case Function::FloorDiv: return Scalar::of(b < 0 ? std::ceil(a / b) : std::floor(a / b));
    case Function::Mod: return Scalar::of(euclid_remainder(a, b));
    case Function::Neg: return Scalar::of(-a);
    case Function::Min: return Scalar::of(std::isunordered(a, b) ? a + b : lesser(a, b));
    case Function::Max: return Scalar::of(std::isunordered(a, b) ? a + b : greater(a, b));
    case Function::FMin: return Scalar::of(lesser(a, b));
    case Function::FMax: return Scalar::of(greater(a, b));
    case Function::Lt: return truth(a < b);
    case Function::Le: return truth(a <= b);
    case Function::Eq: return truth(a == b);
    case Function::Ne: return truth(a != b);
    case Function::And: return truth(a != 0 && b != 0);
    case Function::Or: return truth(a != 0 || b != 0);
    case Function::Not: return truth(a == 0);
    case Function::Abs: return Scalar::of(std::abs(a));
    case Function::Relu: return Scalar::of(a <= 0 ? Real(0) : a);
    case Function::Exp: return Scalar::of(std::exp(a));
    case Function::Log: return Scalar::of(std::log(a));
    case Function::Tanh: return Scalar::of(std::tanh(a));
    case Function::Sqrt: return Scalar::of(std::sqrt(a));
    case Function::Rsqrt: return Scalar::of(Real(1) / std::sqrt(a));
    case Function::Floor: return Scalar::of(std::floor(a));
    case Function::Ceil: return Scalar::of(std::ceil(a));
    case Function::Sin: return Scalar::of(std::sin(a));
    case Function::Cos: return Scalar::of(std::cos(a));
    case Function::Erf: return Scalar::of(std::erf(a));
    case Function::Pow: return Scalar::of(std::pow(a, b));
    case Function::Sigmoid: return Scalar::of(Real(1) / (Real(1) + std::exp(-a)));
    case Function::Silu: return Scalar::of(a / (Real(1) + std::exp(-a)));
    case Function::Gelu:
      return Scalar::of(Real(0.5) * a * (Real(1) + std::erf(a * Real(0.70710678118654752440L))));
    case Function::Exp2: return Scalar::of(std::exp2(a));
    case Function::Expm1: return Scalar::of(std::expm1(a));
    case Function::Log2: return Scalar::of(std::log2(a));
    case Function::Log1p: return Scalar::of(std::log1p(a));
    case Function::Reciprocal: return Scalar::of(Real(1) / a);
    case Function::Round: return Scalar::of(std::rint(a));
    case Function::Trunc: return Scalar::of(std::trunc(a));
    case Function::Sign: return Scalar::of(Real(int(a > 0) - int(a < 0)));
    case Function::IsNan: return truth(std::isnan(a));
    case Function::IsInf: return truth(std::isinf(a));
    case Function::IsFinite: return truth(std::isfinite(a));
    case Function::GeluTanh: return Scalar::of(gelu_tanh(a));
    case Function::Softplus: return Scalar::of(a > 20 ? a : std::log1p(std::exp(a)));
    case Function::Select:
    case Function::BitAnd:
    case Function::BitOr:
    case Function::BitXor:
    case Function::BitNot:
    case Function::ShiftLeft:
    case Function::ShiftRight:
    case Function::RandomBits:
    case Function::RandomUniform:
    case Function::RandomNormal: break;
  }
  SELVAGE_CHECK(!"a function of floats");
}

// Calls f with the value as a C++ number of its own type.
template <class F>
auto with_number(Scalar v, F f) {
  if (v.type == DataType::Float) return f(v.single);
  if (v.type == DataType::Double) return f(v.real);
  if (v.type == DataType::UInt64) return f(std::uint64_t(v.integer));
  return f(v.integer);
}

template <class Number>
Scalar to_compute(Number n, DataType type) {
  if (type == DataType::Float) return Scalar::of(float(n));
  if (type == DataType::Double) return Scalar::of(double(n));
  if (type == DataType::Bool) return Scalar::of(type, n != 0);
  if constexpr (std::is_floating_point_v<Number>) {
    if (type == DataType::UInt64) return Scalar::of(type, std::int64_t(saturate<std::uint64_t>(n)));
    return Scalar::of(
        type, type == DataType::Int32 ? saturate<std::int32_t>(n) : saturate<std::int64_t>(n));
  } else {
    return Scalar::of(type, std::int64_t(n));
  }
}

}  // namespace

const FunctionInfo& info(Function f) {
  SELVAGE_CHECK(std::size_t(f) < kRows.size());
  return kRows[std::size_t(f)];
}

bool is_of_integers(Function f) {
  const ResultRule rule = info(f).rule;
  return rule == ResultRule::Bits || rule == ResultRule::Shift || rule == ResultRule::Word ||
         rule == ResultRule::Draw;
}

DataType compute_type(DataType storage) {
  switch (storage) {
    case DataType::Bool: return DataType::Bool;
    case DataType::Int8:
    case DataType::Int16:
    case DataType::UInt8:
    case DataType::UInt16:
    case DataType::Int32: return DataType::Int32;
    case DataType::UInt32:
    case DataType::Int64: return DataType::Int64;
    case DataType::UInt64: return DataType::UInt64;
    case DataType::Half:
    case DataType::BFloat16:
    case DataType::Float: return DataType::Float;
    case DataType::Double: return DataType::Double;
  }
  SELVAGE_CHECK(!"a data type");
}

bool is_narrow_integer(DataType type) { return is_integer(type) && compute_type(type) != type; }

std::optional<DataType> promote(DataType a, bool a_weak, DataType b, bool b_weak) {
  if (a_weak && !b_weak) return promote(b, b_weak, a, a_weak);
  if (b_weak && !a_weak) {
    if (category(b) <= category(a)) return a;
    return category(b) == 2 ? DataType::Float : DataType::Int32;
  }
  if (category(a) != category(b)) return category(a) > category(b) ? a : b;
  if (a == b) return a;
  if (is_integer(a)) return promote_integers(a, b);
  if (size_of(a) == size_of(b)) return DataType::Float;  // half with bfloat16
  return size_of(a) > size_of(b) ? a : b;
}

Scalar Scalar::of(DataType type, std::int64_t v) {
  SELVAGE_CHECK(compute_type(type) == type);
  if (type == DataType::Float) return of(float(v));
  if (type == DataType::Double) return of(double(v));
  Scalar s;
  s.type = type;
  s.integer = type == DataType::Bool ? v != 0 : type == DataType::Int32 ? std::int32_t(v) : v;
  return s;
}

Scalar Scalar::of(float v) {
  Scalar s;
  s.type = DataType::Float;
  s.single = v;
  return s;
}

Scalar Scalar::of(double v) {
  Scalar s;
  s.type = DataType::Double;
  s.real = v;
  return s;
}

Scalar convert(Scalar v, DataType type) {
  const DataType compute = compute_type(type);
  if (v.type == DataType::Double && compute == DataType::Float && type != DataType::Float) {
    v = Scalar::of(round_to_odd(v.real));
  }
  if (v.type != compute) v = with_number(v, [&](auto n) { return to_compute(n, compute); });
  switch (type) {
    case DataType::Int8: v.integer = std::int8_t(v.integer); break;
    case DataType::Int16: v.integer = std::int16_t(v.integer); break;
    case DataType::UInt8: v.integer = std::uint8_t(v.integer); break;
    case DataType::UInt16: v.integer = std::uint16_t(v.integer); break;
    case DataType::UInt32: v.integer = std::uint32_t(v.integer); break;
    case DataType::Half: v.single = half_to_float(float_to_half(v.single)); break;
    case DataType::BFloat16: v.single = bfloat16_to_float(float_to_bfloat16(v.single)); break;
    case DataType::Bool:
    case DataType::Int32:
    case DataType::Int64:
    case DataType::UInt64:
    case DataType::Float:
    case DataType::Double: break;
  }
  return v;
}

Scalar as_element(Scalar v, DataType type) {
  const bool is_alike = v.type == compute_type(type) && !is_narrow_integer(type);
  return is_alike ? v : convert(v, type);
}

Scalar apply(Function f, std::span<const Scalar> operands) {
  SELVAGE_CHECK(operands.size() == std::size_t(info(f).arity));
  if (f == Function::Select) {
    SELVAGE_CHECK(operands[0].type == DataType::Bool && operands[1].type == operands[2].type);
    return operands[0].integer != 0 ? operands[1] : operands[2];
  }
  const Scalar a = operands[0], b = operands.back();
  SELVAGE_CHECK(a.type == b.type);
  if (a.type == DataType::Float) return apply_real(f, a.single, b.single);
  if (a.type == DataType::Double) return apply_real(f, a.real, b.real);
  return apply_integer(f, a.type, a.integer, b.integer);
}

}  // namespace selvage
