#include <selvage/base/points.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

using Numbers = std::vector<std::int64_t>;

std::vector<Numbers> visited(const Numbers& extents, std::size_t most = 100) {
  std::vector<Numbers> list;
  for_each_point(extents, [&](const Numbers& point) {
    list.push_back(point);
    return list.size() < most;
  });
  return list;
}

TEST(Points, AreVisitedInRowMajorOrder) {
  const std::vector<Numbers> all = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}};
  EXPECT_EQ(visited({2, 3}), all);
  EXPECT_EQ(visited({2, 3}, 2).size(), 2u);
}

TEST(Points, OfNoLoopAreOneAndOfAnEmptyOneNone) {
  EXPECT_EQ(visited({}), std::vector<Numbers>{{}});
  EXPECT_EQ(visited({2, 0, 3}), std::vector<Numbers>{});
}

TEST(Points, BeginAnewAfterTheLast) {
  const Numbers extents = {2, 3};
  Numbers point = {1, 2};
  EXPECT_FALSE(next_point(point, extents));
  EXPECT_EQ(point, (Numbers{0, 0}));
  EXPECT_TRUE(next_point(point, extents));
  EXPECT_EQ(point, (Numbers{0, 1}));
}

TEST(Points, AreCountedAsFarAs64BitsGo) {
  EXPECT_EQ(count_points(Numbers{4, 5, 1}), 20);
  EXPECT_EQ(count_points(Numbers{}), 1);
  EXPECT_EQ(count_points(Numbers{std::int64_t{1} << 40, std::int64_t{1} << 40}), std::nullopt);
}

}  // namespace
}  // namespace selvage
