// What makes rows of doc/values.md into cases, and the rows of bits, roundings and random numbers.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "tests/support/special_values.h"
#include "tests/values/page_case.h"

namespace selvage::values {

using enum DataType;
using Tensors = std::vector<Tensor>;
using Call = std::function<Tensor(const Tensors&)>;

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr Wide kEnd64 = Wide(1) << 64;

inline constexpr DataType kSigned[] = {Int8, Int16, Int32, Int64};
inline constexpr DataType kUnsigned[] = {UInt8, UInt16, UInt32, UInt64};
inline constexpr DataType kFloats[] = {Half, BFloat16, Float, Double};
inline constexpr DataType kIntegers[] = {Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};

// One input of a type, or two, pointwise.
inline PageCase one(Given a, const std::string& value, Call call, Given expected) {
  return {.inputs = {std::move(a)},
          .statement = "y[i] = " + value,
          .call = std::move(call),
          .expected = std::move(expected)};
}
inline PageCase two(Given a, Given b, const std::string& value, Call call, Given expected) {
  PageCase c = one(std::move(a), value, std::move(call), std::move(expected));
  c.inputs.push_back(std::move(b));
  return c;
}
inline PageCase refused(PageCase c, const std::string& code) {
  c.refused = code;
  return c;
}

// By the first cell of the row.
using Rows = std::map<std::string, std::vector<PageCase>>;
void add_bits(Rows& rows);
void add_roundings(Rows& rows);
void add_random(Rows& rows);

}  // namespace selvage::values
