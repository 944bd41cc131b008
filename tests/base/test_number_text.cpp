#include <selvage/base/number_text.h>
#include <selvage/base/random.h>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "tests/support/counts.h"

namespace selvage {
namespace {

TEST(NumberText, IsAsShortAsItMayBe) {
  EXPECT_EQ(shortest(2.0), "2");
  EXPECT_EQ(shortest(0.1f), "0.1");
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(double(0.1f)), "0.10000000149011612");
  EXPECT_EQ(shortest(-0.0), "-0");
  EXPECT_EQ(shortest(1e-6), "1e-06");
  EXPECT_EQ(shortest(-std::numeric_limits<float>::infinity()), "-inf");
  EXPECT_EQ(shortest(std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(NumberText, OfARealIsNoIntegers) {
  EXPECT_EQ(shortest_real(2.0), "2.0");
  EXPECT_EQ(shortest_real(-0.0f), "-0.0");
  EXPECT_EQ(shortest_real(0.5), "0.5");
  EXPECT_EQ(shortest_real(1e20), "1e+20");
}

TEST(NumberText, ReadsBackAsTheSameNumber) {
  SplitMix64 random(5);
  for (int i = 0; i < count(2000, 200'000); ++i) {
    const auto v = std::bit_cast<double>(random.next());
    const auto single = std::bit_cast<float>(std::uint32_t(random.next()));
    if (!std::isfinite(v) || !std::isfinite(single)) continue;
    EXPECT_EQ(std::strtod(shortest_real(v).c_str(), nullptr), v);
    EXPECT_EQ(std::strtof(shortest(single).c_str(), nullptr), single);
  }
}

}  // namespace
}  // namespace selvage
