#include <selvage/base/array.h>
#include <selvage/base/check.h>
#include <selvage/base/diagnostic.h>
#include <tests/support/refusal.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace selvage {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string refusal(DataType type, std::vector<std::int64_t> shape) {
  return refusal_by<BadInput>([&] { Array(type, std::move(shape)); });
}

double stored(DataType type, double value) {
  Array a(type, {});
  a.set(0, value);
  return a.get(0);
}

std::int64_t stored_int(DataType type, std::int64_t value) {
  Array a(type, {});
  a.set_int(0, value);
  return a.get_int(0);
}

TEST(Array, IsZeroFilledAndSizedByItsShape) {
  for (int i = 0; i < 13; ++i) {
    const auto type = static_cast<DataType>(i);
    const Array a(type, {2, 3});
    EXPECT_EQ(a.size(), 6);
    EXPECT_EQ(a.bytes.size(), 6U * static_cast<unsigned>(size_of(type)));
    for (int k = 0; k < 6; ++k) EXPECT_EQ(a.get(k), 0.0);
  }
}

TEST(Array, AScalarHasOneElementAndAnEmptyExtentNone) {
  EXPECT_EQ(Array(DataType::Float, {}).size(), 1);
  EXPECT_EQ(Array(DataType::Float, {3, 0}).size(), 0);
  const std::int64_t huge = std::int64_t{1} << 62;
  EXPECT_EQ(Array(DataType::Float, {huge, huge, 0}).size(), 0);
}

TEST(Array, SmallIntegersGoThroughEveryTypeUnchanged) {
  for (int i = 1; i < 13; ++i) {
    for (std::int64_t v = 0; v <= 127; ++v) {
      EXPECT_EQ(stored_int(static_cast<DataType>(i), v), v);
      EXPECT_EQ(stored(static_cast<DataType>(i), static_cast<double>(v)), static_cast<double>(v));
    }
  }
}

TEST(Array, ElementsLieInRowMajorOrder) {
  Array a(DataType::Int16, {2, 2});
  for (int k = 0; k < 4; ++k) a.set_int(k, 10 + k);
  EXPECT_EQ(static_cast<int>(a.bytes[6]), 13);
  EXPECT_EQ(a.get_int(3), 13);
}

TEST(Array, IntegersWrapAsACastDoes) {
  EXPECT_EQ(stored_int(DataType::Int8, 130), -126);
  EXPECT_EQ(stored_int(DataType::UInt8, -1), 255);
  EXPECT_EQ(stored_int(DataType::UInt64, -1), -1);
  EXPECT_EQ(stored_int(DataType::Int64, INT64_MIN), INT64_MIN);
}

TEST(Array, DoublesAreCutTowardsZeroAndSaturate) {
  EXPECT_EQ(stored(DataType::Int32, -2.9), -2);
  EXPECT_EQ(stored(DataType::Int8, 1e9), 127);
  EXPECT_EQ(stored(DataType::UInt16, -3.5), 0);
  EXPECT_EQ(stored(DataType::Int64, kInfinity), std::ldexp(1.0, 63));
  EXPECT_EQ(stored(DataType::UInt64, 1e30), std::ldexp(1.0, 64));
  EXPECT_EQ(stored(DataType::Int32, std::nan("")), 0);
}

TEST(Array, BoolIsWhetherItDiffersFromZero) {
  EXPECT_EQ(stored(DataType::Bool, 0.25), 1);
  EXPECT_EQ(stored(DataType::Bool, -0.0), 0);
  EXPECT_EQ(stored_int(DataType::Bool, 256), 1);
}

TEST(Array, NarrowFloatsRoundOnceNotTwice) {
  // Just above the middle of two halves; a float in between would round to the middle, then down.
  EXPECT_EQ(stored(DataType::Half, 1 + std::ldexp(1, -11) + std::ldexp(1, -40)),
            1 + std::ldexp(1, -10));
  EXPECT_EQ(stored(DataType::Half, 1 + std::ldexp(1, -11)), 1.0);
  EXPECT_EQ(stored(DataType::BFloat16, -1 - std::ldexp(1, -8) - std::ldexp(1, -40)),
            -1 - std::ldexp(1, -7));
  const std::int64_t big = (std::int64_t{1} << 60) + (std::int64_t{1} << 52);  // a middle
  EXPECT_EQ(stored_int(DataType::BFloat16, big), std::int64_t{1} << 60);
  EXPECT_EQ(stored_int(DataType::BFloat16, big + 1), (std::int64_t{1} << 60) + (1LL << 53));
  EXPECT_EQ(stored_int(DataType::BFloat16, -big - 1), -(std::int64_t{1} << 60) - (1LL << 53));
}

TEST(Array, NarrowFloatsKeepInfinitiesAndNaN) {
  for (const DataType type : {DataType::Half, DataType::BFloat16, DataType::Float}) {
    EXPECT_EQ(stored(type, kInfinity), kInfinity);
    EXPECT_EQ(stored(type, -1e300), -kInfinity);
    EXPECT_TRUE(std::isnan(stored(type, std::nan(""))));
  }
}

TEST(Array, EqualityComparesTypeShapeAndBytes) {
  const Array a(DataType::Float, {2, 3});
  EXPECT_EQ(a, Array(DataType::Float, {2, 3}));
  EXPECT_NE(a, Array(DataType::Float, {3, 2}));
  EXPECT_NE(a, Array(DataType::Int32, {2, 3}));
}

TEST(Array, AShapeThatCannotBeIsRefused) {
  EXPECT_EQ(refusal(DataType::Float, {4, -1}),
            "selvage: error[E601]: an array of float[4, -1] has a negative extent; help: extents "
            "are 0 or more");
  EXPECT_EQ(refusal(DataType::Half, {1LL << 40, 1LL << 40}),
            "selvage: error[E601]: an array of half[1099511627776, 1099511627776] has more bytes "
            "than 64 bits can count; help: make the extents smaller");
  EXPECT_EQ(refusal(DataType::Int8, {1LL << 60}),
            "selvage: error[E601]: an array of int8[1152921504606846976] does not fit in memory: "
            "1152921504606846976 bytes; help: make the extents smaller");
}

TEST(Array, AnElementOutsideIsOurBug) {
  const Array a(DataType::Float, {2});
  EXPECT_THROW(a.get(2), InternalError);
  EXPECT_THROW(a.get_int(-1), InternalError);
}

}  // namespace
}  // namespace selvage
