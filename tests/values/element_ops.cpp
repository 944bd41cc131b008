// What the functions of values give, by doc/values.md, and how far an error goes through them.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "tests/support/special_values.h"
#include "tests/values/element.h"

namespace selvage::values {

namespace {

constexpr OpText kTexts[] = {
    {"+", 2},
    {"-", 2},
    {"*", 2},
    {"/", 2},
    {"//", 2},
    {"%", 2},
    {"-", 1},
    {"min", 2},
    {"max", 2},
    {"fmin", 2},
    {"fmax", 2},
    {"<", 2},
    {"<=", 2},
    {">", 2},
    {">=", 2},
    {"==", 2},
    {"!=", 2},
    {"&&", 2},
    {"||", 2},
    {"!", 1},
    {"select", 3},
    {"abs", 1},
    {"relu", 1},
    {"sign", 1},
    {"bit_and", 2},
    {"bit_or", 2},
    {"bit_xor", 2},
    {"bit_not", 1},
    {"shift_left", 2},
    {"shift_right", 2},
    {"random_bits", 2},
    {"random_uniform", 2},
    {"random_normal", 2},
    {"isnan", 1},
    {"isinf", 1},
    {"isfinite", 1},
    {"sqrt", 1},
    {"rsqrt", 1},
    {"reciprocal", 1},
    {"floor", 1},
    {"ceil", 1},
    {"round", 1},
    {"trunc", 1},
    {"exp", 1},
    {"log", 1},
    {"tanh", 1},
    {"sin", 1},
    {"cos", 1},
    {"erf", 1},
    {"pow", 2},
    {"sigmoid", 1},
    {"silu", 1},
    {"gelu", 1},
    {"exp2", 1},
    {"expm1", 1},
    {"log2", 1},
    {"log1p", 1},
    {"gelu_tanh", 1},
    {"softplus", 1},
};
static_assert(std::size(kTexts) == kOps);

bool is_comparison(Op op) { return op >= Op::Lt && op <= Op::Ne; }
bool is_real(Op op) { return op == Op::Div || op >= Op::Sqrt; }

bool is_test(Op op) { return op >= Op::IsNan && op <= Op::IsFinite; }

bool is_random(Op op) { return op >= Op::RandomBits && op <= Op::RandomNormal; }

bool is_signed_integer(DataType t) { return t >= DataType::Int8 && t <= DataType::Int64; }

DataType signed_of(int bytes) {
  if (bytes == 1) return DataType::Int8;
  if (bytes == 2) return DataType::Int16;
  return bytes == 4 ? DataType::Int32 : DataType::Int64;
}

// The bits of a as long as the type are moved; those of a negative a are as many ones as are asked
// for, further to the left.
Element shifted(Op op, DataType type, Wide a, Wide n) {
  const bool is_inside = n >= 0 && n < 8 * size_of(type);
  if (op == Op::ShiftLeft) {
    return whole(type, is_inside ? Wide(static_cast<unsigned __int128>(a) << int(n)) : 0);
  }
  return whole(type, is_inside ? a >> int(n) : a < 0 ? -1 : 0);
}

Element whole_result(Op op, DataType type, Wide a, Wide b) {
  if (op == Op::Add) return whole(type, a + b);
  if (op == Op::Sub) return whole(type, a - b);
  // Only the lowest 64 bits count, and the product may have more than 128.
  if (op == Op::Mul) return whole(type, Wide(std::uint64_t(a) * std::uint64_t(b)));
  if (op == Op::FloorDiv || op == Op::Mod) {
    if (b == 0) return whole(type, 0);
    const Wide size = b < 0 ? -b : b;
    const Wide rest = (a % size + size) % size;
    return whole(type, op == Op::Mod ? rest : (a - rest) / b);
  }
  if (op == Op::Neg) return whole(type, -a);
  if (op == Op::Abs) return whole(type, a < 0 ? -a : a);
  if (op == Op::Relu) return whole(type, a < 0 ? 0 : a);
  if (op == Op::Sign) return whole(type, a < 0 ? -1 : a > 0 ? 1 : 0);
  if (op == Op::BitAnd) return whole(type, a & b);
  if (op == Op::BitOr) return whole(type, a | b);
  if (op == Op::BitXor) return whole(type, a ^ b);
  if (op == Op::BitNot) return whole(type, type == DataType::Bool ? Wide(a == 0) : -1 - a);
  if (op == Op::ShiftLeft || op == Op::ShiftRight) return shifted(op, type, a, b);
  return whole(type, op == Op::Min || op == Op::FMin ? std::min(a, b) : std::max(a, b));
}

bool comes_first(double a, double b) {  // -0.0 before 0.0
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}

template <class T>
T real_result(Op op, T a, T b) {
  if (op == Op::Add) return a + b;
  if (op == Op::Sub) return a - b;
  if (op == Op::Mul) return a * b;
  if (op == Op::Div) return a / b;
  if (op == Op::FloorDiv) return b < 0 ? std::ceil(a / b) : std::floor(a / b);
  if (op == Op::Mod) {
    const T rest = std::fmod(a, b);
    return rest < 0 ? rest + std::abs(b) : rest;
  }
  if (op == Op::Neg) return -a;
  if (op == Op::Abs) return std::abs(a);
  if (op == Op::Relu) return std::isnan(a) || a > 0 ? a : T(0);
  if (op == Op::Sqrt) return std::sqrt(a);
  if (op == Op::Rsqrt) return T(1) / std::sqrt(a);
  if (op == Op::Floor) return std::floor(a);
  if (op == Op::Ceil) return std::ceil(a);
  if (op == Op::Round) return std::nearbyint(a);
  if (op == Op::Trunc) return std::trunc(a);
  if (op == Op::Reciprocal) return T(1) / a;
  if (op == Op::Sign) return a > 0 ? T(1) : a < 0 ? T(-1) : T(0);
  const bool passes_over = op == Op::FMin || op == Op::FMax;
  if (std::isnan(a)) return passes_over ? b : a;
  if (std::isnan(b)) return passes_over ? a : b;
  return comes_first(a, b) == (op == Op::Min || op == Op::FMin) ? a : b;
}

// Of the machine's library: more exactly than that has it.
long double library_result(Op op, long double a, long double b) {
  if (op == Op::Exp) return std::exp(a);
  if (op == Op::Log) return std::log(a);
  if (op == Op::Tanh) return std::tanh(a);
  if (op == Op::Sin) return std::sin(a);
  if (op == Op::Cos) return std::cos(a);
  if (op == Op::Erf) return std::erf(a);
  // Of infinities the C library's powl of x86 takes -2^63 for odd: pow(-inf, -2^63) is 0, not inf.
  if (op == Op::Pow && !std::isfinite(a)) return std::pow(double(a), double(b));
  if (op == Op::Pow) return std::pow(a, b);
  if (op == Op::Sigmoid) return 1 / (1 + std::exp(-a));
  if (op == Op::Silu) return a / (1 + std::exp(-a));
  if (op == Op::Exp2) return std::exp2(a);
  if (op == Op::Expm1) return std::expm1(a);
  if (op == Op::Log2) return std::log2(a);
  if (op == Op::Log1p) return std::log1p(a);
  if (op == Op::Softplus) return a > 20 ? a : std::log1p(std::exp(a));
  if (op == Op::GeluTanh) {
    return 0.5L * a * (1 + std::tanh(0.7978845608028654L * (a + 0.044715L * (a * a * a))));
  }
  return 0.5L * a * (1 + std::erf(a * 0.70710678118654752440L));
}

Element library(Op op, DataType type, const Element& a, const Element& b) {
  Element r{.type = type};
  if (a.slack > 0 || b.slack > 0) {
    r.slack = kInfinity;
    return r;
  }
  const long double v = library_result(op, a.real, b.real);
  r.real = round_to_carried(double(v), type);
  const DataType steps = type == DataType::Double ? DataType::Double : DataType::Float;
  // Where a library may leave the range and another not, and where an argument so large is taken
  // apart into turns, nothing is asked.
  const double most = steps == DataType::Double ? 1e307 : 1e37;
  if (std::isfinite(a.real) && std::isfinite(b.real) && !std::isnan(double(v))) {
    if (!(std::abs(double(v)) < most)) {
      const bool is_log = op == Op::Log || op == Op::Log2 || op == Op::Log1p;
      r.slack = std::isinf(double(v)) && is_log ? 0 : kInfinity;
    } else {
      r.slack = 16 * step_at(r.real, steps);
      if (op == Op::Gelu || op == Op::GeluTanh) r.slack += 16 * step_at(a.real, steps);
      // exp(-x) may be infinite where one by it is not yet 0.
      const double least = steps == DataType::Double ? 0x1p-1020 : 0x1p-124;
      if (op == Op::Sigmoid || op == Op::Silu) r.slack += least * std::max(1.0, std::abs(a.real));
    }
  }
  return r;
}

// How far the result may be off, of finite operands of which one at least has a slack.
double slack_of(Op op, DataType type, const Element& a, const Element& b, double result) {
  const double x = std::abs(a.real), y = std::abs(b.real), s = a.slack, t = b.slack;
  const double step = step_at(std::abs(result), type == DataType::Double ? type : DataType::Float);
  double slack = kInfinity;
  if (op == Op::Add || op == Op::Sub) slack = s + t + step;
  if (op == Op::Mul) slack = x * t + y * s + s * t + step;
  if (op == Op::Div && y > 2 * t) slack = (s + x / y * t) / (y - t) + step;
  if (op == Op::Neg || op == Op::Abs || op == Op::Relu) slack = s;
  if (op == Op::Min || op == Op::Max || op == Op::FMin || op == Op::FMax) slack = std::max(s, t);
  if (op == Op::Sqrt && a.real > 2 * s) slack = s / std::sqrt(a.real - s) + step;
  if (op == Op::Floor || op == Op::Ceil || op == Op::Round || op == Op::Trunc) slack = s + 1;
  if (op == Op::Reciprocal && x > 2 * s) slack = s / (x * (x - s)) + step;
  if (op == Op::Sign) slack = x > s ? 0 : 2;
  slack *= 1 + 0x1p-20;
  const bool may_overflow =
      !std::isfinite(round_to_carried(std::abs(result) + slack + 2 * step, type));
  return may_overflow ? kInfinity : slack;
}

// Philox4x32-10 as its authors write it: the counter n / 4 of 128 bits, the key the seed.
std::uint32_t random_word(std::uint64_t seed, std::uint64_t n) {
  std::array<std::uint64_t, 4> x = {n / 4 & 0xffffffff, n / 4 >> 32, 0, 0};
  for (std::uint64_t round = 0; round < 10; ++round) {
    const std::uint64_t first = (seed + round * 0x9E3779B9) & 0xffffffff;
    const std::uint64_t second = ((seed >> 32) + round * 0xBB67AE85) & 0xffffffff;
    const std::uint64_t left = x[2] * 0xCD9E8D57, right = x[0] * 0xD2511F53;
    x = {(left >> 32) ^ x[1] ^ first, left & 0xffffffff, (right >> 32) ^ x[3] ^ second,
         right & 0xffffffff};
  }
  return std::uint32_t(x[n % 4]);
}

// Where the normal distribution leaves the share `tail` to the right: by Newton.
double quantile(double tail) {
  double x = 0;
  for (int k = 0; k < 60; ++k) {
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    x += (0.5 * std::erfc(x / std::numbers::sqrt2) - tail) / density;
  }
  return x;
}

Element random_number(Op op, const Element& seed, const Element& n) {
  const std::uint32_t w = random_word(std::uint64_t(seed.integer), std::uint64_t(n.integer));
  if (op == Op::RandomBits) return whole(DataType::UInt32, w);
  Element r{.type = DataType::Float, .real = double(w >> 8) / 0x1p24};
  if (op == Op::RandomUniform) return r;
  const double x = quantile((double(0x7fffffff - (w & 0x7fffffff)) + 0.5) / 0x1p32);
  r.real = round_to_carried((w >> 31) != 0 ? -x : x, DataType::Float);
  r.slack = 1e-6 * std::abs(x);
  return r;
}

bool compared(Op op, auto a, auto b) {
  if (op == Op::Lt) return a < b;
  if (op == Op::Le) return a <= b;
  if (op == Op::Gt) return a > b;
  if (op == Op::Ge) return a >= b;
  return (a == b) == (op == Op::Eq);
}

Element open(DataType type) { return {.type = type, .slack = kInfinity}; }

Element truth(Op op, const Element& a, const Element& b) {
  if (op == Op::And || op == Op::Or || op == Op::Not) {
    const Element x = cast(a, DataType::Bool), y = cast(b, DataType::Bool);
    if (is_open(x) || is_open(y)) return open(DataType::Bool);
    if (op == Op::Not) return whole(DataType::Bool, x.integer == 0);
    return whole(DataType::Bool, op == Op::And ? x.integer & y.integer : x.integer | y.integer);
  }
  if (is_open(a) || is_open(b)) return open(DataType::Bool);
  if (is_test(op)) {
    if (!is_floating(a.type)) return whole(DataType::Bool, op == Op::IsFinite);
    if (a.slack > 0 && !std::isfinite(round_to_carried(std::abs(a.real) + a.slack, a.type))) {
      return open(DataType::Bool);
    }
    const bool holds = op == Op::IsNan   ? std::isnan(a.real)
                       : op == Op::IsInf ? std::isinf(a.real)
                                         : std::isfinite(a.real);
    return whole(DataType::Bool, holds);
  }
  if (!is_floating(a.type)) return whole(DataType::Bool, compared(op, a.integer, b.integer));
  const double slack = a.slack + b.slack;
  if (slack > 0 && !is_nan(a) && !is_nan(b) && std::abs(a.real - b.real) <= slack * 1.0001) {
    return open(DataType::Bool);
  }
  return whole(DataType::Bool, compared(op, a.real, b.real));
}

}  // namespace

OpText text_of(Op op) { return kTexts[std::size_t(op)]; }

bool is_library(Op op) { return op >= Op::Exp; }
bool is_of_bits(Op op) { return op >= Op::BitAnd && op <= Op::RandomNormal; }

std::optional<DataType> met(DataType a, DataType b) {
  if (a == b) return a;
  if (is_floating(a) && is_floating(b)) {
    if (a == DataType::Double || b == DataType::Double) return DataType::Double;
    return DataType::Float;  // half and bfloat16, or float and less
  }
  if (is_floating(a) || b == DataType::Bool) return a;
  if (is_floating(b) || a == DataType::Bool) return b;
  if (is_signed_integer(a) == is_signed_integer(b)) return size_of(a) > size_of(b) ? a : b;
  if (!is_signed_integer(a)) std::swap(a, b);
  if (b == DataType::UInt64) return {};
  return size_of(a) > size_of(b) ? a : signed_of(2 * size_of(b));
}

std::optional<DataType> result_type(Op op, const std::vector<DataType>& operands) {
  if (op == Op::Select) return met(operands[1], operands[2]);
  DataType type = operands[0];
  if (is_random(op)) {
    if (is_floating(operands[0]) || is_floating(operands[1])) return {};
    return op == Op::RandomBits ? DataType::UInt32 : DataType::Float;
  }
  if (operands.size() == 2) {
    const auto both = met(operands[0], operands[1]);
    if (!both) return {};
    type = *both;
  }
  if (is_of_bits(op) && is_floating(type)) return {};
  if (is_of_bits(op) && op < Op::ShiftLeft) return type;
  if (is_comparison(op) || is_test(op) || op == Op::And || op == Op::Or || op == Op::Not)
    return DataType::Bool;
  if (is_real(op)) return is_floating(type) ? type : DataType::Float;
  return type == DataType::Bool ? DataType::Int32 : type;
}

Element apply(Op op, const std::vector<Element>& operands) {
  std::vector<DataType> types;
  for (const Element& e : operands) types.push_back(e.type);
  const DataType type = *result_type(op, types);
  if (op == Op::Select) {
    const Element condition = cast(operands[0], DataType::Bool);
    if (is_open(condition)) return open(type);
    return carried(operands[condition.integer != 0 ? 1 : 2], type);
  }
  if (is_random(op)) {
    if (is_open(operands[0]) || is_open(operands[1])) return open(type);
    return random_number(op, cast(operands[0], DataType::Int64),
                         cast(operands[1], DataType::Int64));
  }
  if (type == DataType::Bool && !is_of_bits(op)) {
    const DataType common = operands.size() == 2 ? *met(types[0], types[1]) : types[0];
    const Element a = carried(operands[0], common);
    return truth(op, a, operands.size() == 2 ? carried(operands[1], common) : a);
  }
  const Element a = carried(operands[0], type);
  const Element b = operands.size() == 2 ? carried(operands[1], type) : a;
  if (is_open(a) || is_open(b)) return open(type);
  if (!is_floating(type)) return whole_result(op, type, a.integer, b.integer);
  if (is_library(op)) return library(op, type, a, b);
  Element r{.type = type};
  r.real = type == DataType::Double ? real_result<double>(op, a.real, b.real)
                                    : double(real_result<float>(op, float(a.real), float(b.real)));
  if (a.slack == 0 && b.slack == 0) return r;
  // An infinity and NaN are what they are, whatever a finite operand may be off by; but for those
  // that choose, and where a zero might become an infinity.
  const bool is_finite = std::isfinite(a.real) && std::isfinite(b.real) && std::isfinite(r.real);
  if (!is_finite) {
    if (is_nan(a) || (operands.size() == 2 && is_nan(b))) {
      const bool passes_over = op == Op::FMin || op == Op::FMax;
      r.slack = passes_over ? a.slack + b.slack : 0;
    } else {
      r.slack = kInfinity;
    }
    return r;
  }
  r.slack = slack_of(op, type, a, b, r.real);
  return r;
}

}  // namespace selvage::values
