#include <selvage/base/check.h>
#include <selvage/base/data_type.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace selvage {

namespace {

enum class Class { Bool, Integer, Floating };

struct Row {
  DataType type;
  std::string_view name;
  int size;
  Class of;
};

// clang-format off
constexpr std::array<Row, 13> kTypes = {{
    {DataType::Bool,     "bool",     1, Class::Bool},
    {DataType::Int8,     "int8",     1, Class::Integer},
    {DataType::Int16,    "int16",    2, Class::Integer},
    {DataType::Int32,    "int32",    4, Class::Integer},
    {DataType::Int64,    "int64",    8, Class::Integer},
    {DataType::UInt8,    "uint8",    1, Class::Integer},
    {DataType::UInt16,   "uint16",   2, Class::Integer},
    {DataType::UInt32,   "uint32",   4, Class::Integer},
    {DataType::UInt64,   "uint64",   8, Class::Integer},
    {DataType::Half,     "half",     2, Class::Floating},
    {DataType::BFloat16, "bfloat16", 2, Class::Floating},
    {DataType::Float,    "float",    4, Class::Floating},
    {DataType::Double,   "double",   8, Class::Floating},
}};
// clang-format on

constexpr bool in_order_of_the_enum() {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (static_cast<std::size_t>(kTypes[i].type) != i) return false;
  }
  return true;
}
static_assert(in_order_of_the_enum());

const Row& row(DataType type) {
  const auto i = static_cast<std::size_t>(type);
  SELVAGE_CHECK(i < kTypes.size());
  return kTypes[i];
}

// A binary floating point format of IEEE 754's shape: sign, exponent, fraction.
struct Format {
  int exponent_bits;
  int fraction_bits;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr int top_exponent() const { return (1 << exponent_bits) - 1; }  // infinities and NaNs
  constexpr std::uint32_t infinity() const {
    return static_cast<std::uint32_t>(top_exponent()) << fraction_bits;
  }
  constexpr std::uint32_t hidden() const { return 1U << fraction_bits; }
};

constexpr Format kHalf{5, 10};
constexpr Format kBFloat16{8, 7};
constexpr Format kFloat{8, 23};

// A float is significand * 2^(exponent - bias - 23). The narrow format keeps the leading bits of
// the significand; its own exponent is at least 1, so a tiny value loses more bits on the way to a
// subnormal. Rounding may carry into the exponent field, which is then right by itself.
std::uint16_t narrow(float value, Format to) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 31) << 15;
  const auto exponent = static_cast<int>((bits >> kFloat.fraction_bits) & 0xff);
  const std::uint32_t fraction = bits & (kFloat.hidden() - 1);
  const int dropped = kFloat.fraction_bits - to.fraction_bits;

  if (exponent == kFloat.top_exponent()) {
    std::uint32_t payload = fraction >> dropped;
    if (fraction != 0 && payload == 0) payload = to.hidden() >> 1;  // a NaN stays a NaN
    return static_cast<std::uint16_t>(sign | to.infinity() | payload);
  }

  const std::uint32_t significand = exponent == 0 ? fraction : fraction | kFloat.hidden();
  const int wanted = std::max(exponent, 1) - kFloat.bias() + to.bias();
  if (wanted >= to.top_exponent()) return static_cast<std::uint16_t>(sign | to.infinity());
  const int narrow_exponent = std::max(wanted, 1);
  const int shift = std::min(dropped + narrow_exponent - wanted, 31);

  std::uint32_t kept = significand >> shift;
  const std::uint32_t rest = significand & ((1U << shift) - 1);
  const std::uint32_t half_way = 1U << (shift - 1);
  if (rest > half_way || (rest == half_way && kept % 2 == 1)) ++kept;
  const std::uint32_t below = static_cast<std::uint32_t>(narrow_exponent - 1) << to.fraction_bits;
  return static_cast<std::uint16_t>(sign | (below + kept));
}

float widen(std::uint16_t bits, Format from) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 15) << 31;
  const std::uint32_t magnitude = bits & 0x7fffU;
  const auto exponent = static_cast<int>(magnitude >> from.fraction_bits);
  std::uint32_t fraction = magnitude & (from.hidden() - 1);
  const int added = kFloat.fraction_bits - from.fraction_bits;

  int wide_exponent = exponent - from.bias() + kFloat.bias();
  if (exponent == from.top_exponent()) {
    wide_exponent = kFloat.top_exponent();
  } else if (exponent == 0) {
    // Zero stays zero; a subnormal becomes normal where the wide format reaches lower.
    wide_exponent += 1;
    while (fraction != 0 && (fraction & from.hidden()) == 0 && wide_exponent > 1) {
      fraction <<= 1;
      wide_exponent -= 1;
    }
    if ((fraction & from.hidden()) == 0) wide_exponent = 0;
    fraction &= from.hidden() - 1;
  }
  return std::bit_cast<float>(
      sign | static_cast<std::uint32_t>(wide_exponent) << kFloat.fraction_bits | fraction << added);
}

}  // namespace

std::string_view to_string(DataType type) { return row(type).name; }

std::optional<DataType> parse_data_type(std::string_view name) {
  for (const Row& r : kTypes) {
    if (r.name == name) return r.type;
  }
  return std::nullopt;
}

int size_of(DataType type) { return row(type).size; }
bool is_floating(DataType type) { return row(type).of == Class::Floating; }
bool is_integer(DataType type) { return row(type).of == Class::Integer; }

float half_to_float(std::uint16_t bits) { return widen(bits, kHalf); }
std::uint16_t float_to_half(float value) { return narrow(value, kHalf); }
float bfloat16_to_float(std::uint16_t bits) { return widen(bits, kBFloat16); }
std::uint16_t float_to_bfloat16(float value) { return narrow(value, kBFloat16); }

float round_to_odd(double value) {
  if (std::isnan(value) || std::isinf(value)) return static_cast<float>(value);
  constexpr double kMax = std::numeric_limits<float>::max();
  auto near = static_cast<float>(std::clamp(value, -kMax, kMax));
  if (static_cast<double>(near) == value) return near;
  if (std::abs(static_cast<double>(near)) > std::abs(value)) near = std::nextafter(near, 0.0F);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(near) | 1U);
}

}  // namespace selvage
