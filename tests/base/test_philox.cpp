#include <selvage/base/philox.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>
#include <vector>

namespace selvage {
namespace {

// Of the authors' own table of known answers (Random123, kat_vectors).
TEST(Philox, GivesTheKnownAnswers) {
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (PhiloxWords{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (PhiloxWords{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxWords{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, ASeedCountsThroughTheWordsOfOneCounterAfterAnother) {
  for (std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{0x123456789abcdef0}}) {
    for (std::uint64_t counter : {std::uint64_t{0}, std::uint64_t{9}, ~std::uint64_t{0} >> 2}) {
      const PhiloxWords words = philox({std::uint32_t(counter), std::uint32_t(counter >> 32), 0, 0},
                                       {std::uint32_t(seed), std::uint32_t(seed >> 32)});
      for (std::uint64_t k = 0; k < 4; ++k) {
        EXPECT_EQ(random_bits(seed, 4 * counter + k), words[k]);
      }
    }
  }
}

TEST(Philox, UniformNumbersAreBelowOneAndEquallyLikely) {
  EXPECT_EQ(uniform_of(0), 0);
  EXPECT_EQ(uniform_of(255), 0);
  EXPECT_EQ(uniform_of(256), 0x1p-24F);
  EXPECT_EQ(uniform_of(0xffffffff), 1 - 0x1p-24F);
  // Each of 256 parts gets its share, but for six standard deviations.
  constexpr int kNumbers = 1 << 18, kParts = 256;
  std::vector<int> counts(kParts);
  for (int n = 0; n < kNumbers; ++n) {
    ++counts[std::size_t(uniform_of(random_bits(11, std::uint64_t(n))) * kParts)];
  }
  const double share = double(kNumbers) / kParts;
  for (int count : counts) EXPECT_NEAR(count, share, 6 * std::sqrt(share));
}

// The share of the normal distribution to the right of |x|, which is told to 16 digits, beside what
// it is to be. A share that is off by e of itself moves x by less than e / x.
TEST(Philox, NormalNumbersLeaveTheirShareToTheRight) {
  std::vector<std::uint32_t> magnitudes = {0, 1, 2, 3, 1825361099, 1825361100, 1825361101};
  for (std::uint32_t m = 0; m < 0x7fff0000; m += 65521) magnitudes.push_back(m);
  for (std::uint32_t t = 0; t < 1000; ++t) magnitudes.push_back(0x7fffffff - t);
  float before = -1;
  for (std::uint32_t m : magnitudes) {
    const float x = normal_of(m);
    EXPECT_EQ(normal_of(m | 0x80000000), -x);
    const double tail = (double(0x7fffffff - m) + 0.5) / 0x1p32;
    const double density = std::exp(-double(x) * x / 2) / std::sqrt(2 * std::numbers::pi);
    const double off = (0.5 * std::erfc(double(x) / std::numbers::sqrt2) - tail) / density;
    EXPECT_LE(std::abs(off), 1e-6 * x + 1e-15) << m;
    before = std::max(before, x);
  }
  EXPECT_GT(normal_of(0), 0);
  EXPECT_NEAR(before, 6.338, 0.001);
}

TEST(Philox, NormalNumbersHaveTheMomentsOfTheirDistribution) {
  constexpr int kNumbers = 1 << 18;
  double sums[5] = {};
  for (int n = 0; n < kNumbers; ++n) {
    const double x = normal_of(random_bits(5, std::uint64_t(n)));
    for (int k = 1; k < 5; ++k) sums[k] += std::pow(x, k) / kNumbers;
  }
  EXPECT_NEAR(sums[1], 0, 0.01);
  EXPECT_NEAR(sums[2], 1, 0.02);
  EXPECT_NEAR(sums[3], 0, 0.05);
  EXPECT_NEAR(sums[4], 3, 0.15);
}

TEST(Philox, SeedsGiveDifferentNumbers) {
  std::set<std::uint32_t> first;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    first.insert(random_bits(seed, 0));
    first.insert(random_bits(seed << 32, 0));
  }
  EXPECT_GE(first.size(), 1990U);
}

}  // namespace
}  // namespace selvage
