#include <selvage/base/shuffle.h>

#include <gtest/gtest.h>

#include <map>

namespace selvage {
namespace {

TEST(Shuffle, EveryOrderIsAboutAsLikely) {
  SplitMix64 random(11);
  std::map<std::vector<int>, int> counts;
  for (int i = 0; i < 6'000; ++i) {
    std::vector<int> items = {0, 1, 2};
    shuffle(items, random);
    ++counts[items];
  }
  EXPECT_EQ(counts.size(), 6u);
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, 1000, 120);
}

TEST(Shuffle, ASeedGivesOneOrder) {
  std::vector<int> a = {0, 1, 2, 3, 4, 5, 6, 7}, b = a, none;
  SplitMix64 first(3), second(3);
  shuffle(a, first);
  shuffle(b, second);
  EXPECT_EQ(a, b);
  shuffle(none, first);
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace selvage
