#include <selvage/pictures/hole_grid.h>

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tests/support/counts.h"

namespace selvage {
namespace {

using Points = std::vector<std::vector<std::int64_t>>;

Points points_of(const HoleGrid& grid, const std::vector<std::int64_t>& extents) {
  Points points;
  std::vector<std::int64_t> point;
  for (const HoleGrid::Row& row : grid.rows) {
    for (std::int64_t c = 0; c < grid.columns; ++c) {
      if (grid.point_at(row, c, extents, point)) points.push_back(point);
    }
  }
  return points;
}

TEST(HoleGrid, ACompleteTableHasEveryPointOnceAndInOrder) {
  std::mt19937 random(3);
  for (int round = count(300, 5000); round > 0; --round) {
    std::vector<std::int64_t> extents;
    std::int64_t product = 1;
    for (unsigned n = random() % 6; n > 0; --n) {
      extents.push_back(1 + random() % 9);
      product *= extents.back();
    }
    const HoleGrid grid = hole_grid(extents, {std::int64_t(1 + random() % 40), 100'000, 3});
    ASSERT_TRUE(grid.is_complete);
    const Points points = points_of(grid, extents);
    ASSERT_EQ(std::int64_t(points.size()), product);
    EXPECT_TRUE(std::is_sorted(points.begin(), points.end()));
    EXPECT_EQ(std::set(points.begin(), points.end()).size(), points.size());
  }
}

TEST(HoleGrid, ATableThatIsNotCompleteCountsWhatItLeavesOut) {
  std::mt19937 random(4);
  for (int round = count(300, 5000); round > 0; --round) {
    std::vector<std::int64_t> extents;
    std::int64_t product = 1;
    for (unsigned n = 1 + random() % 4; n > 0; --n) {
      extents.push_back(2 + random() % 60);
      product *= extents.back();
    }
    Points seen;
    for (unsigned k = random() % 3; k > 0; --k) {
      seen.emplace_back();
      for (std::int64_t n : extents) seen.back().push_back(random() % unsigned(n));
    }
    const HoleGridLimits limits{16, 12, 4};
    const HoleGrid grid = hole_grid(extents, limits, seen);
    const Points points = points_of(grid, extents);
    EXPECT_TRUE(std::is_sorted(points.begin(), points.end()));
    EXPECT_LE(grid.columns, limits.columns);
    std::int64_t rows = 0;
    for (const HoleGrid::Row& row : grid.rows) rows += 1 + row.left_out;
    std::int64_t all = 1;
    for (std::size_t loop : grid.down) all *= extents[loop];
    if (grid.is_wrapped) all *= (extents[grid.across[0]] + grid.columns - 1) / grid.columns;
    EXPECT_EQ(rows, all);
    EXPECT_EQ(grid.is_complete, std::int64_t(points.size()) == product);
    EXPECT_EQ(points.front(), std::vector<std::int64_t>(extents.size(), 0));
    for (std::size_t i = 0; i < extents.size(); ++i) EXPECT_EQ(points.back()[i], extents[i] - 1);
    for (const auto& point : seen) {
      EXPECT_TRUE(std::binary_search(points.begin(), points.end(), point));
    }
  }
}

TEST(HoleGrid, TheTableIsAboutTwiceAsWideAsHigh) {
  const HoleGrid grid = hole_grid({2, 2, 2, 4}, {30, 24, 4});
  EXPECT_EQ(grid.down, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(grid.across, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(grid.columns, 8);
}

TEST(HoleGrid, ALongLoopGoesOnInFurtherRows) {
  const HoleGrid grid = hole_grid({2, 70}, {40, 24, 4});
  EXPECT_TRUE(grid.is_wrapped);
  EXPECT_EQ(grid.columns, 32);
  ASSERT_EQ(grid.rows.size(), 6u);
  EXPECT_EQ(grid.rows[5].outer, (std::vector<std::int64_t>{1}));
  EXPECT_EQ(grid.rows[5].start, 64);
}

TEST(HoleGrid, MorePointsThanCanBeCountedHaveFirstAndLastRowsAllTheSame) {
  const std::vector<std::int64_t> extents(64, std::int64_t{1} << 40);
  const HoleGrid grid = hole_grid(extents, {16, 10, 3}, {extents});
  ASSERT_EQ(grid.rows.size(), 6u);
  EXPECT_EQ(grid.rows[3].left_out, HoleGrid::kUncounted);
  const Points points = points_of(grid, extents);
  EXPECT_EQ(points.back(), std::vector<std::int64_t>(64, (std::int64_t{1} << 40) - 1));
  EXPECT_EQ(points.front(), std::vector<std::int64_t>(64, 0));
}

TEST(HoleGrid, OneScalarIsOneCell) {
  const HoleGrid grid = hole_grid({}, {16, 10, 3});
  EXPECT_EQ(points_of(grid, {}), Points{{}});
}

}  // namespace
}  // namespace selvage
