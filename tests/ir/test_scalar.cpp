#include <selvage/base/philox.h>
#include <selvage/ir/scalar.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace selvage {
namespace {

constexpr float kFloatNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kFloatInfinity = std::numeric_limits<float>::infinity();
constexpr std::int64_t kMin32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMin64 = std::numeric_limits<std::int64_t>::min();

std::vector<DataType> all_types() {
  std::vector<DataType> types;
  for (int i = 0; i <= int(DataType::Double); ++i) types.push_back(DataType(i));
  return types;
}

template <class... Operands>
Scalar on(Function f, Operands... operands) {
  const std::vector<Scalar> values = {operands...};
  return selvage::apply(f, values);
}
Scalar i32(std::int64_t v) { return Scalar::of(DataType::Int32, v); }
Scalar i64(std::int64_t v) { return Scalar::of(DataType::Int64, v); }
Scalar truth(bool v) { return Scalar::of(DataType::Bool, v); }

std::int64_t int32_of(Function f, std::int64_t a, std::int64_t b) {
  const Scalar s = on(f, i32(a), i32(b));
  EXPECT_EQ(s.type, DataType::Int32);
  return s.integer;
}
std::int64_t int64_of(Function f, std::int64_t a, std::int64_t b) {
  return on(f, i64(a), i64(b)).integer;
}
float float_of(Function f, float a) { return on(f, Scalar::of(a)).single; }
float float_of(Function f, float a, float b) { return on(f, Scalar::of(a), Scalar::of(b)).single; }
double double_of(Function f, double a) { return on(f, Scalar::of(a)).real; }

TEST(Scalar, EveryFunctionHasARow) {
  std::ostringstream table;
  for (int i = 0; i < kFunctionCount; ++i) {
    const FunctionInfo& f = info(Function(i));
    table << f.name << f.arity << f.text << " ";
  }
  EXPECT_EQ(table.str(),
            "Add2+ Sub2- Mul2* TrueDiv2/ FloorDiv2// Mod2% Neg1neg Min2min Max2max FMin2fmin "
            "FMax2fmax Lt2< Le2<= Eq2== Ne2!= And2&& Or2|| Not1! Select3select Abs1abs Relu1relu "
            "Exp1exp Log1log "
            "Tanh1tanh Sqrt1sqrt Rsqrt1rsqrt Floor1floor Ceil1ceil Sin1sin Cos1cos Erf1erf "
            "Pow2pow Sigmoid1sigmoid Silu1silu Gelu1gelu Exp21exp2 Expm11expm1 Log21log2 "
            "Log1p1log1p Reciprocal1reciprocal Round1round Trunc1trunc Sign1sign IsNan1isnan "
            "IsInf1isinf IsFinite1isfinite GeluTanh1gelu_tanh Softplus1softplus BitAnd2bit_and "
            "BitOr2bit_or BitXor2bit_xor BitNot1bit_not ShiftLeft2shift_left "
            "ShiftRight2shift_right RandomBits2random_bits RandomUniform2random_uniform "
            "RandomNormal2random_normal ");
}

TEST(Scalar, ComputeTypes) {
  std::string text;
  for (DataType t : all_types()) {
    text += std::string(to_string(t)) + ":" + std::string(to_string(compute_type(t))) + " ";
  }
  EXPECT_EQ(text,
            "bool:bool int8:int32 int16:int32 int32:int32 int64:int64 uint8:int32 uint16:int32 "
            "uint32:int64 uint64:uint64 half:float bfloat16:float float:float double:double ");
}

// Rows and columns in the order of the enum. b: bool, i/u and bytes, h, g: bfloat16, f, d.
TEST(Scalar, PromotionIsThisTable) {
  const std::vector<std::string> table = {
      //         bool i1 i2 i4 i8 u1 u2 u4 u8 half bf16 float double
      /*bool */ "b  i1 i2 i4 i8 u1 u2 u4 u8 h g f d",
      /*i1   */ "i1 i1 i2 i4 i8 i2 i4 i8 -  h g f d",
      /*i2   */ "i2 i2 i2 i4 i8 i2 i4 i8 -  h g f d",
      /*i4   */ "i4 i4 i4 i4 i8 i4 i4 i8 -  h g f d",
      /*i8   */ "i8 i8 i8 i8 i8 i8 i8 i8 -  h g f d",
      /*u1   */ "u1 i2 i2 i4 i8 u1 u2 u4 u8 h g f d",
      /*u2   */ "u2 i4 i4 i4 i8 u2 u2 u4 u8 h g f d",
      /*u4   */ "u4 i8 i8 i8 i8 u4 u4 u4 u8 h g f d",
      /*u8   */ "u8 -  -  -  -  u8 u8 u8 u8 h g f d",
      /*half */ "h  h  h  h  h  h  h  h  h  h f f d",
      /*bf16 */ "g  g  g  g  g  g  g  g  g  f g f d",
      /*float*/ "f  f  f  f  f  f  f  f  f  f f f d",
      /*doubl*/ "d  d  d  d  d  d  d  d  d  d d d d"};
  const std::map<std::string, std::optional<DataType>> names = {
      {"-", std::nullopt},      {"b", DataType::Bool},    {"i1", DataType::Int8},
      {"i2", DataType::Int16},  {"i4", DataType::Int32},  {"i8", DataType::Int64},
      {"u1", DataType::UInt8},  {"u2", DataType::UInt16}, {"u4", DataType::UInt32},
      {"u8", DataType::UInt64}, {"h", DataType::Half},    {"g", DataType::BFloat16},
      {"f", DataType::Float},   {"d", DataType::Double}};
  for (DataType a : all_types()) {
    std::istringstream row(table[std::size_t(a)]);
    for (DataType b : all_types()) {
      std::string cell;
      row >> cell;
      EXPECT_EQ(promote(a, false, b, false), names.at(cell)) << to_string(a) << to_string(b);
      EXPECT_EQ(promote(a, true, b, true), names.at(cell)) << to_string(a) << to_string(b);
    }
  }
}

// A literal lifts bool to int32 or float and integers to float; else it changes nothing.
TEST(Scalar, AWeakOperandOnlyLiftsTheCategory) {
  for (DataType t : all_types()) {
    const bool is_bool = t == DataType::Bool;
    for (DataType literal : {DataType::Int32, DataType::Int64}) {
      EXPECT_EQ(promote(t, false, literal, true), is_bool ? DataType::Int32 : t);
      EXPECT_EQ(promote(literal, true, t, false), is_bool ? DataType::Int32 : t);
    }
    for (DataType literal : {DataType::Float, DataType::Double}) {
      EXPECT_EQ(promote(t, false, literal, true), is_floating(t) ? t : DataType::Float);
      EXPECT_EQ(promote(literal, true, t, false), is_floating(t) ? t : DataType::Float);
    }
    EXPECT_EQ(promote(t, false, DataType::Bool, true), t);
  }
}

TEST(Scalar, IntegersWrapAround) {
  const std::int64_t max32 = -(kMin32 + 1), max64 = -(kMin64 + 1);
  EXPECT_EQ(int32_of(Function::Add, max32, 1), kMin32);
  EXPECT_EQ(int32_of(Function::Sub, kMin32, 1), max32);
  EXPECT_EQ(int32_of(Function::Mul, 65536, 65536), 0);
  EXPECT_EQ(int32_of(Function::Mul, kMin32, -1), kMin32);
  EXPECT_EQ(int32_of(Function::FloorDiv, kMin32, -1), kMin32);
  EXPECT_EQ(int32_of(Function::Mod, kMin32, -1), 0);
  EXPECT_EQ(int64_of(Function::Add, max64, 1), kMin64);
  EXPECT_EQ(int64_of(Function::Sub, kMin64, 1), max64);
  EXPECT_EQ(int64_of(Function::Mul, max64, max64), 1);
  EXPECT_EQ(int64_of(Function::FloorDiv, kMin64, -1), kMin64);
  EXPECT_EQ(int64_of(Function::Mod, kMin64, -1), 0);
  EXPECT_EQ(on(Function::Neg, i32(kMin32)).integer, kMin32);
  EXPECT_EQ(on(Function::Neg, i64(kMin64)).integer, kMin64);
  EXPECT_EQ(on(Function::Abs, i32(kMin32)).integer, kMin32);
  EXPECT_EQ(on(Function::Abs, i64(kMin64)).integer, kMin64);
}

TEST(Scalar, IntegerDivisionIsEuclideanAndBy0Gives0) {
  for (std::int64_t a = -9; a <= 9; ++a) {
    for (std::int64_t b = -4; b <= 4; ++b) {
      const std::int64_t q = int32_of(Function::FloorDiv, a, b), r = int32_of(Function::Mod, a, b);
      if (b == 0) {
        EXPECT_TRUE(q == 0 && r == 0) << a;
      } else {
        EXPECT_EQ(b * q + r, a);
        EXPECT_TRUE(0 <= r && r < std::abs(b)) << a << " " << b;
      }
      EXPECT_EQ(int64_of(Function::FloorDiv, a, b), q);
      EXPECT_EQ(int64_of(Function::Mod, a, b), r);
    }
  }
}

TEST(Scalar, OtherFunctionsOfIntegers) {
  EXPECT_EQ(int32_of(Function::Min, -3, 2), -3);
  EXPECT_EQ(int32_of(Function::Max, -3, 2), 2);
  EXPECT_EQ(on(Function::Abs, i32(-7)).integer, 7);
  EXPECT_EQ(on(Function::Relu, i32(-7)).integer, 0);
  EXPECT_EQ(on(Function::Relu, i64(7)).integer, 7);
}

TEST(Scalar, ComparisonsAndLogicGiveBools) {
  for (std::int64_t a : {0, 1}) {
    for (std::int64_t b : {0, 1}) {
      const auto all_agree = [&](Function f, bool expected) {
        for (const Scalar& s :
             {on(f, truth(a), truth(b)), on(f, i32(a), i32(b)), on(f, i64(a), i64(b)),
              on(f, Scalar::of(float(a)), Scalar::of(float(b))),
              on(f, Scalar::of(double(a)), Scalar::of(double(b)))}) {
          EXPECT_EQ(s.type, DataType::Bool);
          EXPECT_EQ(s.integer, expected) << info(f).name << a << b;
        }
      };
      all_agree(Function::Lt, a < b);
      all_agree(Function::Le, a <= b);
      all_agree(Function::Eq, a == b);
      all_agree(Function::Ne, a != b);
      all_agree(Function::And, a && b);
      all_agree(Function::Or, a || b);
    }
    EXPECT_EQ(on(Function::Not, truth(a)).integer, !a);
  }
  for (Function f : {Function::Lt, Function::Le, Function::Eq}) {
    EXPECT_EQ(on(f, Scalar::of(kFloatNaN), Scalar::of(kFloatNaN)).integer, 0);
  }
  EXPECT_EQ(on(Function::Ne, Scalar::of(kFloatNaN), Scalar::of(kFloatNaN)).integer, 1);
}

TEST(Scalar, SelectTakesOneOfTwo) {
  EXPECT_EQ(on(Function::Select, truth(true), i32(3), i32(4)).integer, 3);
  EXPECT_EQ(on(Function::Select, truth(false), Scalar::of(3.0F), Scalar::of(4.0F)).single, 4.0F);
}

TEST(Scalar, ArithmeticOfFloatsIsInFloat) {
  const float a = 0.1F, b = 3.0F;
  EXPECT_EQ(float_of(Function::Add, a, b), a + b);
  EXPECT_EQ(float_of(Function::Sub, a, b), a - b);
  EXPECT_EQ(float_of(Function::Mul, a, b), a * b);
  EXPECT_EQ(float_of(Function::TrueDiv, a, b), a / b);
  EXPECT_EQ(float_of(Function::Add, 16777216.0F, 1.0F), 16777216.0F);
  EXPECT_EQ(float_of(Function::TrueDiv, 1.0F, 0.0F), kFloatInfinity);
  EXPECT_EQ(on(Function::Add, Scalar::of(16777216.0), Scalar::of(1.0)).real, 16777217.0);
  EXPECT_EQ(float_of(Function::Neg, 2.5F), -2.5F);
  EXPECT_EQ(float_of(Function::Abs, -2.5F), 2.5F);
}

TEST(Scalar, FloatDivisionIsEuclideanToo) {
  for (const auto& [a, b, q, r] : std::vector<std::array<float, 4>>{{7, 2, 3, 1},
                                                                    {-7, 2, -4, 1},
                                                                    {7, -2, -3, 1},
                                                                    {-7, -2, 4, 1},
                                                                    {7.5F, 2, 3, 1.5F},
                                                                    {6, 3, 2, 0}}) {
    EXPECT_EQ(float_of(Function::FloorDiv, a, b), q) << a << " " << b;
    EXPECT_EQ(float_of(Function::Mod, a, b), r) << a << " " << b;
  }
  EXPECT_EQ(float_of(Function::FloorDiv, 1, 0), kFloatInfinity);
  EXPECT_TRUE(std::isnan(float_of(Function::Mod, 1, 0)));
}

TEST(Scalar, FunctionsOfFloatsAreThoseOfC) {
  for (float x : {-2.0F, -0.5F, 0.0F, 0.3F, 1.0F, 7.25F}) {
    EXPECT_EQ(float_of(Function::Exp, x), ::expf(x));
    EXPECT_EQ(float_of(Function::Tanh, x), ::tanhf(x));
    EXPECT_EQ(float_of(Function::Floor, x), ::floorf(x));
    EXPECT_EQ(float_of(Function::Ceil, x), ::ceilf(x));
    EXPECT_EQ(float_of(Function::Sin, x), ::sinf(x));
    EXPECT_EQ(float_of(Function::Cos, x), ::cosf(x));
    EXPECT_EQ(float_of(Function::Erf, x), ::erff(x));
    EXPECT_EQ(float_of(Function::Pow, x, 2.0F), ::powf(x, 2.0F));
    EXPECT_EQ(float_of(Function::Relu, x), x > 0 ? x : 0.0F);
    EXPECT_EQ(float_of(Function::Sigmoid, x), 1 / (1 + ::expf(-x)));
    EXPECT_EQ(float_of(Function::Silu, x), x / (1 + ::expf(-x)));
    EXPECT_EQ(float_of(Function::Gelu, x), 0.5F * x * (1 + ::erff(x * 0.70710678118654752440F)));
    const float inner = 0.7978845608028654F * (x + 0.044715F * (x * x * x));
    EXPECT_EQ(float_of(Function::GeluTanh, x), 0.5F * x * (1 + ::tanhf(inner)));
    EXPECT_EQ(float_of(Function::Softplus, x), ::log1pf(::expf(x)));
    EXPECT_EQ(float_of(Function::Exp2, x), ::exp2f(x));
    EXPECT_EQ(float_of(Function::Expm1, x), ::expm1f(x));
    EXPECT_EQ(float_of(Function::Round, x), ::rintf(x));
    EXPECT_EQ(float_of(Function::Trunc, x), ::truncf(x));
    EXPECT_EQ(float_of(Function::Reciprocal, x), 1 / x);
    if (x <= 0) continue;
    EXPECT_EQ(float_of(Function::Log, x), ::logf(x));
    EXPECT_EQ(float_of(Function::Log2, x), ::log2f(x));
    EXPECT_EQ(float_of(Function::Log1p, x), ::log1pf(x));
    EXPECT_EQ(float_of(Function::Sqrt, x), ::sqrtf(x));
    EXPECT_EQ(float_of(Function::Rsqrt, x), 1 / ::sqrtf(x));
  }
}

TEST(Scalar, FunctionsOfDoublesAreInDouble) {
  for (double x : {0.3, 1.0, 7.25}) {
    EXPECT_EQ(double_of(Function::Exp, x), ::exp(x));
    EXPECT_EQ(double_of(Function::Log, x), ::log(x));
    EXPECT_EQ(double_of(Function::Sigmoid, x), 1 / (1 + ::exp(-x)));
    EXPECT_EQ(double_of(Function::Rsqrt, x), 1 / ::sqrt(x));
    EXPECT_EQ(double_of(Function::Gelu, x), 0.5 * x * (1 + ::erf(x * 0.70710678118654752440)));
    EXPECT_EQ(double_of(Function::Exp2, x), ::exp2(x));
    EXPECT_EQ(double_of(Function::Expm1, x), ::expm1(x));
    EXPECT_EQ(double_of(Function::Log2, x), ::log2(x));
    EXPECT_EQ(double_of(Function::Log1p, x), ::log1p(x));
    EXPECT_EQ(double_of(Function::Softplus, x), ::log1p(::exp(x)));
    const double inner = 0.7978845608028654 * (x + 0.044715 * (x * x * x));
    EXPECT_EQ(double_of(Function::GeluTanh, x), 0.5 * x * (1 + ::tanh(inner)));
  }
}

// Of NaN, infinities, zeros, what is subnormal, and numbers past all fractions.
TEST(Scalar, SpecialValuesOfRoundingAndSigns) {
  const float least = std::numeric_limits<float>::denorm_min(), most = 0x1.fffffep127F;
  const auto same = [](float a, float b) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
  };
  const auto expect = [&](Function f, std::vector<std::pair<float, float>> pairs) {
    for (const auto& [x, y] : pairs) {
      EXPECT_TRUE(same(float_of(f, x), y)) << info(f).text << " of " << x << ": " << float_of(f, x);
    }
  };
  const float inf = kFloatInfinity, nan = kFloatNaN;
  expect(Function::Round, {{0.5F, 0},
                           {1.5F, 2},
                           {2.5F, 2},
                           {-0.5F, -0.0F},
                           {-1.5F, -2},
                           {nan, nan},
                           {inf, inf},
                           {-inf, -inf},
                           {-0.0F, -0.0F},
                           {least, 0},
                           {-least, -0.0F},
                           {8388609, 8388609},
                           {8388607.5F, 8388608},
                           {most, most}});
  expect(Function::Trunc, {{0.9F, 0},
                           {-0.9F, -0.0F},
                           {-1.5F, -1},
                           {nan, nan},
                           {-inf, -inf},
                           {-0.0F, -0.0F},
                           {least, 0},
                           {-least, -0.0F},
                           {most, most}});
  expect(Function::Sign, {{3, 1},
                          {-3, -1},
                          {0, 0},
                          {-0.0F, 0},
                          {nan, 0},
                          {inf, 1},
                          {-inf, -1},
                          {least, 1},
                          {-least, -1}});
  expect(Function::Reciprocal, {{4, 0.25F},
                                {0, inf},
                                {-0.0F, -inf},
                                {inf, 0},
                                {-inf, -0.0F},
                                {nan, nan},
                                {least, inf},
                                {most, 0x1p-128F}});
  expect(Function::Exp2, {{3, 8}, {-inf, 0}, {inf, inf}, {nan, nan}, {-149, least}, {128, inf}});
  expect(Function::Expm1, {{-0.0F, -0.0F}, {-inf, -1}, {inf, inf}, {nan, nan}, {least, least}});
  expect(Function::Log1p, {{-0.0F, -0.0F}, {-1, -inf}, {-2, nan}, {inf, inf}, {least, least}});
  expect(Function::Log2, {{8, 3}, {0, -inf}, {-0.0F, -inf}, {-1, nan}, {inf, inf}, {least, -149}});
  expect(Function::Softplus, {{-inf, 0}, {inf, inf}, {nan, nan}, {20.5F, 20.5F}, {most, most}});
  expect(Function::GeluTanh, {{inf, inf}, {-inf, nan}, {nan, nan}, {-0.0F, -0.0F}, {100, 100}});
}

TEST(Scalar, TestsOfFloats) {
  struct Row {
    double x;
    bool is_nan, is_infinite, is_finite;
  };
  for (const Row& row : {Row{0, false, false, true}, Row{-0.0, false, false, true},
                         Row{0x1.fffffep127, false, false, true}, Row{0x1p-149, false, false, true},
                         Row{HUGE_VAL, false, true, false}, Row{-HUGE_VAL, false, true, false},
                         Row{double(kFloatNaN), true, false, false}}) {
    for (const Scalar& x : {Scalar::of(float(row.x)), Scalar::of(row.x)}) {
      EXPECT_EQ(on(Function::IsNan, x).integer, row.is_nan) << row.x;
      EXPECT_EQ(on(Function::IsInf, x).integer, row.is_infinite) << row.x;
      EXPECT_EQ(on(Function::IsFinite, x).integer, row.is_finite) << row.x;
      EXPECT_EQ(on(Function::IsFinite, x).type, DataType::Bool);
    }
  }
}

// In 32 and 64 bits beside C where that defines it, and what is said of all other amounts.
TEST(Scalar, BitsAndShifts) {
  const std::int64_t max32 = -(kMin32 + 1), max64 = -(kMin64 + 1);
  const std::vector<std::int64_t> some = {0, 1, -1, 5, -6, 255, max32, kMin32, max64, kMin64};
  for (std::int64_t a : some) {
    const auto narrow = std::int32_t(a);
    for (std::int64_t b : some) {
      EXPECT_EQ(int64_of(Function::BitAnd, a, b), a & b);
      EXPECT_EQ(int64_of(Function::BitOr, a, b), a | b);
      EXPECT_EQ(int64_of(Function::BitXor, a, b), a ^ b);
      EXPECT_EQ(int32_of(Function::BitXor, narrow, std::int32_t(b)), narrow ^ std::int32_t(b));
    }
    EXPECT_EQ(on(Function::BitNot, i64(a)).integer, ~a);
    EXPECT_EQ(on(Function::BitNot, i32(narrow)).integer, ~narrow);
    const auto natural = [](std::int64_t v) { return Scalar::of(DataType::UInt64, v); };
    for (int n = 0; n < 64; ++n) {
      EXPECT_EQ(int64_of(Function::ShiftLeft, a, n), std::int64_t(std::uint64_t(a) << n));
      EXPECT_EQ(int64_of(Function::ShiftRight, a, n), a >> n);
      EXPECT_EQ(on(Function::ShiftRight, natural(a), natural(n)).integer,
                std::int64_t(std::uint64_t(a) >> n));
      if (n >= 32) continue;
      EXPECT_EQ(int32_of(Function::ShiftLeft, narrow, n), std::int32_t(std::uint32_t(narrow) << n));
      EXPECT_EQ(int32_of(Function::ShiftRight, narrow, n), narrow >> n);
    }
    for (std::int64_t n : {std::int64_t{64}, std::int64_t{-1}, max64, kMin64}) {
      EXPECT_EQ(int64_of(Function::ShiftLeft, a, n), 0);
      EXPECT_EQ(int64_of(Function::ShiftRight, a, n), a < 0 ? -1 : 0);
      EXPECT_EQ(on(Function::ShiftRight, natural(a), natural(n)).integer, 0);
    }
    for (std::int64_t n : {std::int64_t{32}, std::int64_t{-1}, max32, kMin32}) {
      EXPECT_EQ(int32_of(Function::ShiftLeft, narrow, n), 0);
      EXPECT_EQ(int32_of(Function::ShiftRight, narrow, n), narrow < 0 ? -1 : 0);
    }
    EXPECT_EQ(on(Function::Sign, i64(a)).integer, (a > 0) - (a < 0));
    EXPECT_EQ(on(Function::Sign, natural(a)).integer, a != 0);
  }
  for (bool a : {false, true}) {
    EXPECT_EQ(on(Function::BitNot, truth(a)).integer, !a);
    for (bool b : {false, true}) {
      EXPECT_EQ(on(Function::BitAnd, truth(a), truth(b)).integer, a && b);
      EXPECT_EQ(on(Function::BitOr, truth(a), truth(b)).integer, a || b);
      EXPECT_EQ(on(Function::BitXor, truth(a), truth(b)).integer, a != b);
    }
  }
  EXPECT_EQ(on(Function::BitXor, truth(true), truth(true)).type, DataType::Bool);
}

TEST(Scalar, RandomNumbersAreThoseOfTheirSeedAndPlace) {
  for (std::int64_t seed : {std::int64_t{0}, std::int64_t{7}, std::int64_t{-1}, kMin64}) {
    for (std::int64_t n : {std::int64_t{0}, std::int64_t{5}, std::int64_t{1} << 40, kMin64}) {
      const std::uint32_t bits = random_bits(std::uint64_t(seed), std::uint64_t(n));
      EXPECT_EQ(int64_of(Function::RandomBits, seed, n), bits);
      EXPECT_EQ(on(Function::RandomUniform, i64(seed), i64(n)).single, uniform_of(bits));
      EXPECT_EQ(on(Function::RandomNormal, i64(seed), i64(n)).single, normal_of(bits));
    }
  }
}

TEST(Scalar, NaNs) {
  EXPECT_TRUE(std::isnan(float_of(Function::Relu, kFloatNaN)));
  EXPECT_TRUE(std::isnan(float_of(Function::Min, kFloatNaN, 1.0F)));
  EXPECT_TRUE(std::isnan(float_of(Function::Max, 1.0F, kFloatNaN)));
  EXPECT_EQ(float_of(Function::FMin, kFloatNaN, 1.0F), 1.0F);
  EXPECT_EQ(float_of(Function::FMax, 1.0F, kFloatNaN), 1.0F);
  EXPECT_TRUE(std::isnan(float_of(Function::FMax, kFloatNaN, kFloatNaN)));
  EXPECT_TRUE(std::isnan(float_of(Function::Sqrt, -1.0F)));
}

TEST(Scalar, ConvertSaturatesFloatsAndWrapsIntegers) {
  const auto to = [](Scalar v, DataType type) { return convert(v, type).integer; };
  EXPECT_EQ(to(Scalar::of(2.9F), DataType::Int32), 2);
  EXPECT_EQ(to(Scalar::of(-2.9F), DataType::Int32), -2);
  EXPECT_EQ(to(Scalar::of(3e9F), DataType::Int32), -(kMin32 + 1));
  EXPECT_EQ(to(Scalar::of(-3e9F), DataType::Int32), kMin32);
  EXPECT_EQ(to(Scalar::of(1e300), DataType::Int64), -(kMin64 + 1));
  EXPECT_EQ(to(Scalar::of(-kFloatInfinity), DataType::Int64), kMin64);
  EXPECT_EQ(to(Scalar::of(kFloatNaN), DataType::Int32), 0);
  EXPECT_EQ(to(Scalar::of(kFloatNaN), DataType::Bool), 1);
  EXPECT_EQ(to(Scalar::of(0.25), DataType::Bool), 1);
  EXPECT_EQ(to(i64(std::int64_t{1} << 40), DataType::Int32), 0);
  EXPECT_EQ(to(i64(std::int64_t{1} << 40), DataType::Bool), 1);
  EXPECT_EQ(to(i64(-1), DataType::Int32), -1);
  EXPECT_EQ(convert(i64(16777217), DataType::Float).single, 16777216.0F);
  EXPECT_EQ(convert(Scalar::of(0.1F), DataType::Double).real, double(0.1F));
  EXPECT_EQ(convert(Scalar::of(1e300), DataType::Float).single, kFloatInfinity);
}

TEST(Scalar, ConvertToAStorageTypeIsStoringAndReadingBack) {
  EXPECT_EQ(convert(i32(200), DataType::Int8).integer, -56);
  EXPECT_EQ(convert(i32(-1), DataType::UInt8).integer, 255);
  EXPECT_EQ(convert(i32(-1), DataType::UInt16).integer, 65535);
  EXPECT_EQ(convert(i32(40000), DataType::Int16).integer, -25536);
  EXPECT_EQ(convert(i64(-1), DataType::UInt32).integer, 4294967295);
  EXPECT_EQ(convert(i64(-1), DataType::UInt64).integer, -1);
  EXPECT_EQ(convert(Scalar::of(0.1F), DataType::Half).single, 0.0999755859375F);
  EXPECT_EQ(convert(Scalar::of(1e6F), DataType::Half).single, kFloatInfinity);
  EXPECT_EQ(convert(Scalar::of(257.0F), DataType::BFloat16).single, 256.0F);
  EXPECT_EQ(convert(Scalar::of(0.1), DataType::Half).type, DataType::Float);
}

}  // namespace
}  // namespace selvage
