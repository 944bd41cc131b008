// The values that the engine is held against, held against the formats themselves.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/values/element.h"

namespace selvage::values {
namespace {

Element real(double v) { return {.type = DataType::Double, .real = v}; }

TEST(ValuesElement, EveryHalfAndBFloat16IsItself) {
  for (const DataType type : {DataType::Half, DataType::BFloat16}) {
    Array one(type, {1}), again(type, {1});
    for (int bits = 0; bits < 65'536; ++bits) {
      const auto b = std::uint16_t(bits);
      std::memcpy(one.bytes.data(), &b, sizeof b);
      const Element e = item_of(one, 0);
      if (std::isnan(e.real)) continue;
      ASSERT_EQ(round_to(e.real, type), e.real) << bits;
      ASSERT_EQ(cast(real(e.real), type).real, e.real) << bits;
      set_item(again, 0, e);
      ASSERT_EQ(again, one) << bits;
    }
  }
}

TEST(ValuesElement, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(round_to(1 + 0x1p-11, DataType::Half), 1);
  EXPECT_EQ(round_to(1 + 0x1p-11 + 0x1p-40, DataType::Half), 1 + 0x1p-10);
  EXPECT_EQ(round_to(1 + 3 * 0x1p-11, DataType::Half), 1 + 0x1p-9);
  EXPECT_EQ(round_to(65519.9, DataType::Half), 65504);
  EXPECT_TRUE(std::isinf(round_to(65520, DataType::Half)));
  EXPECT_EQ(round_to(0x1p-25, DataType::Half), 0);
  EXPECT_EQ(round_to(0x1.8p-25, DataType::Half), 0x1p-24);
  EXPECT_EQ(round_to(1 + 0x1p-8, DataType::BFloat16), 1);
  for (const double v : {0x1.fffffefp127, 0x1.ffffffp127, 0x1p-150, 0x1.8p-150, 16777217.0, 0.1}) {
    EXPECT_EQ(round_to(v, DataType::Float), double(float(v))) << v;
  }
}

TEST(ValuesElement, CastsToIntegersAsThePageSays) {
  const auto cast_to = [](DataType type, double v) { return to_text(cast(real(v), type)); };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(cast_to(DataType::Int32, 3e9), "2147483647");
  EXPECT_EQ(cast_to(DataType::Int8, 3e9), "-1");  // the end of int32, wrapped
  EXPECT_EQ(cast_to(DataType::Int8, 300.9), "44");
  EXPECT_EQ(cast_to(DataType::UInt8, -1.9), "255");
  EXPECT_EQ(cast_to(DataType::UInt32, -1), "4294967295");
  EXPECT_EQ(cast_to(DataType::UInt32, 1e30), "4294967295");  // the end of int64, wrapped
  EXPECT_EQ(cast_to(DataType::Int64, -1e30), "-9223372036854775808");
  EXPECT_EQ(cast_to(DataType::UInt64, 0x1p63), "9223372036854775808");
  EXPECT_EQ(cast_to(DataType::UInt64, 1e30), "18446744073709551615");
  EXPECT_EQ(cast_to(DataType::UInt64, -5), "0");
  EXPECT_EQ(cast_to(DataType::Int16, nan), "0");
  EXPECT_EQ(cast_to(DataType::Bool, nan), "1");
  EXPECT_EQ(cast_to(DataType::Bool, -0.0), "0");
}

TEST(ValuesElement, TypesMeetAsThePageSays) {
  EXPECT_EQ(met(DataType::Int32, DataType::UInt8), DataType::Int32);
  EXPECT_EQ(met(DataType::UInt16, DataType::Int8), DataType::Int32);
  EXPECT_EQ(met(DataType::UInt32, DataType::Int8), DataType::Int64);
  EXPECT_EQ(met(DataType::UInt64, DataType::Int8), std::nullopt);
  EXPECT_EQ(met(DataType::UInt64, DataType::Bool), DataType::UInt64);
  EXPECT_EQ(met(DataType::Half, DataType::BFloat16), DataType::Float);
}

TEST(ValuesElement, ABoundedValueAllowsWhatLiesWithin) {
  Element e{.type = DataType::Float, .real = 1, .slack = 0.25};
  EXPECT_TRUE(is_as_expected(e, number(DataType::Float, 1.25)));
  EXPECT_FALSE(is_as_expected(e, number(DataType::Float, 1.5)));
  EXPECT_FALSE(is_as_expected(number(DataType::Float, 0.0), number(DataType::Float, -0.0)));
  // A comparison that the slack decides is open, any other is not.
  EXPECT_TRUE(is_open(values::apply(Op::Lt, {e, number(DataType::Float, 1.125)})));
  EXPECT_FALSE(is_open(values::apply(Op::Lt, {e, number(DataType::Float, 2)})));
}

}  // namespace
}  // namespace selvage::values
