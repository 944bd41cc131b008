#pragma once

#include <selvage/base/data_type.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace selvage {

// The functions that values are made of, element by element. One row per function:
//   text   how it is written: an infix sign, or a name followed by ( )
//   rule   the type of the result, given the promoted type P of the operands:
//          Same: P, a bool counting as int32; Real: P if it is floating, else float; Truth: bool;
//          Second: the promoted type of the 2nd and 3rd operand; Test: bool, of an operand brought
//          to its type by Real; Bits: P, and Shift: as Same, both refused where P is floating;
//          Word: uint32, and Draw: float, of whatever integers, brought to int64
// Defined as:
//   //, %      Euclidean: 0 <= a % b < |b|; integers by 0 give 0; floats: a // b is a / b rounded
//              down (b < 0: up), a % b is fmod(a, b), plus |b| where that is negative
//   min, max   a NaN gives NaN; -0.0 is less than 0.0
//   fmin, fmax the same, but a NaN gives the other operand
//   relu       max(x, 0)
//   rsqrt      1 / sqrt(x);  sigmoid  1 / (1 + exp(-x));  silu  x / (1 + exp(-x))
//   gelu       0.5 * x * (1 + erf(x * 0.70710678118654752440))
//   gelu_tanh  0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * (x * x * x))))
//   softplus   log(1 + exp(x)): x where x > 20, else log1p(exp(x))
//   round      to the nearest integer, of two the even one;  trunc  towards zero
//   sign       -1, 0 or 1; of NaN 0
//   reciprocal 1 / x
//   bit_and, bit_or, bit_xor, bit_not   of a bool: and, or, !=, not
//   shift_left, shift_right  by n bits: a negative n, or one that is not less than the bits of the
//              type, leaves none of the bits: the result is 0, to the right of a negative a it is
//              -1
//   random_bits(seed, n), random_uniform(seed, n), random_normal(seed, n)
//              number n of a seed: 32 random bits, a float in [0, 1), a normal float
//              (base/philox.h); the same bits on every machine
// Floats are computed in float, with C's float functions (expf, ...); doubles in double.
// doc/values.md has the results for each type, beside those of other systems.
#define SELVAGE_FUNCTIONS(X)                  \
  X(Add, 2, "+", Same)                        \
  X(Sub, 2, "-", Same)                        \
  X(Mul, 2, "*", Same)                        \
  X(TrueDiv, 2, "/", Real)                    \
  X(FloorDiv, 2, "//", Same)                  \
  X(Mod, 2, "%", Same)                        \
  X(Neg, 1, "neg", Same)                      \
  X(Min, 2, "min", Same)                      \
  X(Max, 2, "max", Same)                      \
  X(FMin, 2, "fmin", Same)                    \
  X(FMax, 2, "fmax", Same)                    \
  X(Lt, 2, "<", Truth)                        \
  X(Le, 2, "<=", Truth)                       \
  X(Eq, 2, "==", Truth)                       \
  X(Ne, 2, "!=", Truth)                       \
  X(And, 2, "&&", Truth)                      \
  X(Or, 2, "||", Truth)                       \
  X(Not, 1, "!", Truth)                       \
  X(Select, 3, "select", Second)              \
  X(Abs, 1, "abs", Same)                      \
  X(Relu, 1, "relu", Same)                    \
  X(Exp, 1, "exp", Real)                      \
  X(Log, 1, "log", Real)                      \
  X(Tanh, 1, "tanh", Real)                    \
  X(Sqrt, 1, "sqrt", Real)                    \
  X(Rsqrt, 1, "rsqrt", Real)                  \
  X(Floor, 1, "floor", Real)                  \
  X(Ceil, 1, "ceil", Real)                    \
  X(Sin, 1, "sin", Real)                      \
  X(Cos, 1, "cos", Real)                      \
  X(Erf, 1, "erf", Real)                      \
  X(Pow, 2, "pow", Real)                      \
  X(Sigmoid, 1, "sigmoid", Real)              \
  X(Silu, 1, "silu", Real)                    \
  X(Gelu, 1, "gelu", Real)                    \
  X(Exp2, 1, "exp2", Real)                    \
  X(Expm1, 1, "expm1", Real)                  \
  X(Log2, 1, "log2", Real)                    \
  X(Log1p, 1, "log1p", Real)                  \
  X(Reciprocal, 1, "reciprocal", Real)        \
  X(Round, 1, "round", Real)                  \
  X(Trunc, 1, "trunc", Real)                  \
  X(Sign, 1, "sign", Same)                    \
  X(IsNan, 1, "isnan", Test)                  \
  X(IsInf, 1, "isinf", Test)                  \
  X(IsFinite, 1, "isfinite", Test)            \
  X(GeluTanh, 1, "gelu_tanh", Real)           \
  X(Softplus, 1, "softplus", Real)            \
  X(BitAnd, 2, "bit_and", Bits)               \
  X(BitOr, 2, "bit_or", Bits)                 \
  X(BitXor, 2, "bit_xor", Bits)               \
  X(BitNot, 1, "bit_not", Bits)               \
  X(ShiftLeft, 2, "shift_left", Shift)        \
  X(ShiftRight, 2, "shift_right", Shift)      \
  X(RandomBits, 2, "random_bits", Word)       \
  X(RandomUniform, 2, "random_uniform", Draw) \
  X(RandomNormal, 2, "random_normal", Draw)

enum class Function : std::uint8_t {
#define X(name, ...) name,
  SELVAGE_FUNCTIONS(X)
#undef X
};

inline constexpr int kFunctionCount = 0
#define X(...) +1
    SELVAGE_FUNCTIONS(X)
#undef X
    ;

enum class ResultRule : std::uint8_t { Same, Real, Truth, Second, Test, Bits, Shift, Word, Draw };

struct FunctionInfo {
  std::string_view name;
  int arity;
  std::string_view text;
  ResultRule rule;
};
const FunctionInfo& info(Function f);
// Whether the function takes integers and bools alone.
bool is_of_integers(Function f);

// The type that values of a storage type are computed in: bool, int32, int64, uint64, float or
// double. Half and bfloat16 are computed in float; integers narrower than 32 bits in int32, uint32
// in int64.
DataType compute_type(DataType storage);

// The common type of two operands, as in PyTorch: bool < integers < floats, then width. half with
// half stays half; half with bfloat16 is float; a signed and an unsigned integer take the next
// wider signed type; nothing where there is none: uint64 with a signed integer. A weak operand (a
// literal) only lifts the category, and no further than to int32 or float: half + 1.5 is half,
// int32 + 1.5 is float.
std::optional<DataType> promote(DataType a, bool a_weak, DataType b, bool b_weak);

// Whether `type` is an integer type whose compute type has more values. Such integers wrap around
// after each operation.
bool is_narrow_integer(DataType type);

// One element in its compute type.
struct Scalar {
  DataType type = DataType::Float;  // a compute type
  union {
    std::int64_t integer;  // Bool, Int32, Int64; UInt64 modulo 2^64
    float single;
    double real;
  };

  static Scalar of(DataType type, std::int64_t v);
  static Scalar of(float v);
  static Scalar of(double v);
};

// v as a value of the type, in its compute type. Floats are rounded once, to nearest; to half and
// bfloat16 integers go by way of float. A float outside the range of the compute type's integers
// becomes the nearest end, NaN becomes 0 (but true as a bool); then narrower integers wrap.
Scalar convert(Scalar v, DataType type);
// The same, but a float stays as it is if the type is half or bfloat16, which are carried in float.
Scalar as_element(Scalar v, DataType type);
// The function on operands that have one compute type already (Select: the condition is Bool).
// Integers wrap around. Integer division and remainder are Euclidean; by 0 they give 0.
Scalar apply(Function f, std::span<const Scalar> operands);

}  // namespace selvage
