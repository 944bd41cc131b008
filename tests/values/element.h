// One value as doc/values.md says it, written from that page and from the IEEE formats alone: no
// code of the engine stands behind it, but for the names of the types and the array that it reads.
#pragma once

#include <selvage/base/array.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace selvage::values {

using Wide = __int128;

struct Element {
  DataType type = DataType::Bool;
  Wide integer = 0;  // of bool and of integers
  double real = 0;   // of floats; of half and bfloat16 the float that they are carried in
  // How far what is computed may be from it: 0 for nothing, to the last bit; infinite where the
  // order of additions, or the machine's own functions, decide what it is.
  double slack = 0;
};

Element whole(DataType type, Wide v);     // wrapped to the type
Element number(DataType type, double v);  // rounded to what the type is carried in

bool is_open(const Element& e);  // with an infinite slack
bool is_nan(const Element& e);

// v with `precision` bits, the least of them not below 2^least, ties to even; past `most` infinite.
double rounded(double v, int precision, int least, double most);
// As the type is stored, and as it is carried: the two differ for half and bfloat16.
double round_to(double v, DataType type);
double round_to_carried(double v, DataType type);
// What one step in the last place is at v, of values carried in `type`.
double step_at(double v, DataType type);

// A cast, and what storing into an output of that type does.
Element cast(const Element& e, DataType type);
// What a value becomes where it meets another type: nothing is rounded to half or bfloat16.
Element carried(const Element& e, DataType type);

// The item of an array, and whether an item is what is expected.
Element item_of(const Array& a, std::int64_t k);
void set_item(Array& a, std::int64_t k, const Element& e);
bool is_as_expected(const Element& expected, const Element& actual);

// Everything that a file can write between elements.
// clang-format off
enum class Op : std::uint8_t {
  Add, Sub, Mul, Div, FloorDiv, Mod, Neg, Min, Max, FMin, FMax, Lt, Le, Gt, Ge, Eq, Ne, And, Or,
  Not, Select, Abs, Relu, Sign, BitAnd, BitOr, BitXor, BitNot, ShiftLeft, ShiftRight, RandomBits,
  RandomUniform, RandomNormal, IsNan, IsInf, IsFinite, Sqrt, Rsqrt, Reciprocal, Floor, Ceil, Round, Trunc, Exp, Log, Tanh, Sin, Cos, Erf, Pow,
  Sigmoid, Silu, Gelu, Exp2, Expm1, Log2, Log1p, GeluTanh, Softplus,
};
// clang-format on
inline constexpr int kOps = int(Op::Softplus) + 1;

struct OpText {
  const char* text;  // an infix or prefix sign, or the name of a function
  int arity;
};
OpText text_of(Op op);
// Of the machine's own library, whose last bits are not told.
bool is_library(Op op);
// Of integers and bools alone.
bool is_of_bits(Op op);

// The type in which two meet; nothing where that is refused.
std::optional<DataType> met(DataType a, DataType b);
// The type of the result, and the one in which it is computed.
std::optional<DataType> result_type(Op op, const std::vector<DataType>& operands);
Element apply(Op op, const std::vector<Element>& operands);

std::string to_text(const Element& e);

}  // namespace selvage::values
