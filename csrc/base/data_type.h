#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace selvage {

// Element types. Half and BFloat16 are storage: they are computed with in float.
enum class DataType : std::uint8_t {
  Bool,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Half,
  BFloat16,
  Float,
  Double,
};

// The name in schedule files: "bool", "int8", ..., "half", "bfloat16", "float", "double".
std::string_view to_string(DataType type);
std::optional<DataType> parse_data_type(std::string_view name);

// Bytes of one element in memory.
int size_of(DataType type);

bool is_floating(DataType type);  // Half, BFloat16, Float, Double
bool is_integer(DataType type);   // signed and unsigned, not Bool

// IEEE 754 binary16 and bfloat16 as 16 bits, rounding to nearest, ties to even.
float half_to_float(std::uint16_t bits);
std::uint16_t float_to_half(float value);
float bfloat16_to_float(std::uint16_t bits);
std::uint16_t float_to_bfloat16(float value);
// `value` rounded towards zero to a float, whose last bit is set if that lost anything. Rounding
// this float to 16 bits gives what rounding `value` itself would.
float round_to_odd(double value);

}  // namespace selvage
