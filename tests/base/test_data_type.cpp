#include <selvage/base/data_type.h>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>

namespace selvage {
namespace {

constexpr int kTypeCount = 13;

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

// What 16 bits mean, written straight from the definition of the format.
double meaning(std::uint16_t bits, int fraction_bits, int bias) {
  const int exponent = (bits & 0x7fff) >> fraction_bits;
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const double sign = (bits >> 15) != 0 ? -1 : 1;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
}

TEST(DataType, EveryNameIsReadBackAndIsUnique) {
  std::set<std::string> names;
  for (int i = 0; i < kTypeCount; ++i) {
    const auto type = static_cast<DataType>(i);
    EXPECT_EQ(parse_data_type(to_string(type)), type);
    names.emplace(to_string(type));
  }
  EXPECT_EQ(names.size(), 13U);
}

TEST(DataType, AnythingElseIsNoType) {
  for (const char* name : {"", "Float", "float ", "int", "int128", "float32", "fp16", "half2"}) {
    EXPECT_EQ(parse_data_type(name), std::nullopt) << name;
  }
}

TEST(DataType, SizesAndClasses) {
  std::string table;
  for (int i = 0; i < kTypeCount; ++i) {
    const auto type = static_cast<DataType>(i);
    const char* of = is_floating(type) ? "floating" : is_integer(type) ? "integer" : "neither";
    table += std::string(to_string(type)) + " " + std::to_string(size_of(type)) + " " + of + "\n";
  }
  EXPECT_EQ(table,
            "bool 1 neither\n"
            "int8 1 integer\nint16 2 integer\nint32 4 integer\nint64 8 integer\n"
            "uint8 1 integer\nuint16 2 integer\nuint32 4 integer\nuint64 8 integer\n"
            "half 2 floating\nbfloat16 2 floating\nfloat 4 floating\ndouble 8 floating\n");
}

TEST(Half, All65536RoundTripNaNsIncluded) {
  for (int i = 0; i <= 0xffff; ++i) {
    const auto h = static_cast<std::uint16_t>(i);
    ASSERT_EQ(float_to_half(half_to_float(h)), h);
  }
}

TEST(Half, EveryFiniteHalfMeansWhatTheFormatSays) {
  for (int i = 0; i <= 0xffff; ++i) {
    const auto h = static_cast<std::uint16_t>(i);
    if ((h & 0x7c00) == 0x7c00) continue;
    ASSERT_EQ(static_cast<double>(half_to_float(h)), meaning(h, 10, 15)) << i;
    ASSERT_EQ(std::signbit(half_to_float(h)), h >> 15 != 0) << i;
  }
}

TEST(Half, InfinitiesAndNaNs) {
  EXPECT_EQ(half_to_float(0x7c00), std::numeric_limits<float>::infinity());
  EXPECT_EQ(half_to_float(0xfc00), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(half_to_float(0x7e00)));
  EXPECT_EQ(float_to_half(std::numeric_limits<float>::infinity()), 0x7c00);
  // A NaN whose payload lies below the bits that are kept stays a NaN.
  EXPECT_EQ(float_to_half(std::bit_cast<float>(0x7f800001U)), 0x7e00);
}

// Between neighbours a < b: below the middle goes to a, above it to b, the middle to the even one.
TEST(Half, RoundsToNearestTiesToEvenBetweenAllNeighbours) {
  for (int i = 0; i < 0x7c00; ++i) {
    const auto a = static_cast<std::uint16_t>(i);
    const auto b = static_cast<std::uint16_t>(i + 1);
    const double high = b == 0x7c00 ? 65536.0 : meaning(b, 10, 15);  // as if the range went on
    const auto middle = static_cast<float>((meaning(a, 10, 15) + high) / 2);
    for (const std::uint16_t sign : {0, 0x8000}) {
      const auto toward = [&](float x) { return sign != 0 ? -x : x; };
      ASSERT_EQ(float_to_half(toward(std::nextafter(middle, 0.0F))), a | sign) << i;
      ASSERT_EQ(float_to_half(toward(middle)), (a % 2 == 0 ? a : b) | sign) << i;
      ASSERT_EQ(float_to_half(toward(std::nextafter(middle, 1e9F))), b | sign) << i;
    }
  }
}

TEST(Half, TheEndsOfTheRange) {
  EXPECT_EQ(float_to_half(65504.0F), 0x7bff);
  EXPECT_EQ(float_to_half(65519.996F), 0x7bff);
  EXPECT_EQ(float_to_half(65520.0F), 0x7c00);
  EXPECT_EQ(float_to_half(std::ldexp(1.0F, -24)), 0x0001);
  EXPECT_EQ(float_to_half(std::ldexp(1.0F, -25)), 0x0000);
  EXPECT_EQ(float_to_half(std::nextafter(std::ldexp(1.0F, -25), 1.0F)), 0x0001);
  EXPECT_EQ(float_to_half(-0.0F), 0x8000);
  EXPECT_EQ(float_to_half(std::numeric_limits<float>::max()), 0x7c00);
  EXPECT_EQ(float_to_half(std::numeric_limits<float>::denorm_min()), 0x0000);
}

TEST(BFloat16, All65536RoundTripNaNsIncluded) {
  for (int i = 0; i <= 0xffff; ++i) {
    const auto h = static_cast<std::uint16_t>(i);
    ASSERT_EQ(float_to_bfloat16(bfloat16_to_float(h)), h);
    ASSERT_EQ(bits(bfloat16_to_float(h)), static_cast<std::uint32_t>(i) << 16);
  }
}

// The upper half of a float's bits, rounded by the lower half, for whatever is not a NaN.
TEST(BFloat16, RoundsToNearestTiesToEven) {
  std::mt19937 random(7);
  for (int i = 0; i < 200000; ++i) {
    std::uint32_t b = random();
    if (i % 4 == 0) b = (b & 0xffff0000U) | 0x8000U;  // a tie
    if (i % 5 == 0) b &= 0x807fffffU;                 // a subnormal
    if ((b & 0x7f800000U) == 0x7f800000U) continue;
    const std::uint32_t expected = (b + 0x7fffU + ((b >> 16) & 1U)) >> 16;
    ASSERT_EQ(float_to_bfloat16(std::bit_cast<float>(b)), expected) << std::hex << b;
  }
}

TEST(BFloat16, InfinitiesAndNaNs) {
  EXPECT_EQ(float_to_bfloat16(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(float_to_bfloat16(-std::numeric_limits<float>::infinity()), 0xff80);
  EXPECT_EQ(float_to_bfloat16(std::bit_cast<float>(0xff800001U)), 0xffc0);
}

}  // namespace
}  // namespace selvage
