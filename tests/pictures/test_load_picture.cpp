#include <selvage/pictures/parts.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pictures/drawings.h"

namespace selvage {
namespace {

using test::elements_of;
using test::number;
using test::of_class;
using test::texts_of;
using testing::Contains;

RowLoad load_of(std::vector<std::int64_t> items, std::vector<std::vector<std::int64_t>> takers) {
  RowLoad load;
  load.tensor = "Z";
  load.offsets = "off";
  load.rows = std::int64_t(takers.size());
  for (const std::int64_t n : items) load.threads.push_back({.items = n, .ends = 0, .rows = {}});
  load.takers = std::move(takers);
  return load;
}

// The widths of bars are as the numbers of items, those with most first.
TEST(LoadPicture, BarsAreAsLongAsTheWork) {
  const XmlElement root = elements_of(load_picture(load_of({2, 8, 0, 4}, {{0}, {1, 1}})));
  std::vector<std::int64_t> widths;
  for (const XmlElement* bar : of_class(root, "solid")) widths.push_back(number(*bar, "width"));
  ASSERT_EQ(widths.size(), 4u);
  EXPECT_EQ(widths[0], 2 * widths[1]);
  EXPECT_EQ(widths[1], 2 * widths[2]);
  EXPECT_EQ(widths[3], 1);
  EXPECT_THAT(texts_of(root), Contains("thread 1"));
  EXPECT_THAT(texts_of(root), Contains("dashed: the mean of all 4 threads, 3.5"));
}

// A cell for each item, in the shade of its thread.
TEST(LoadPicture, RowsShowWhoTakesTheirItems) {
  const XmlElement root = elements_of(load_picture(load_of({3, 2}, {{0, 0, 1}, {}, {1, 0}})));
  EXPECT_EQ(of_class(root, "shade").size(), 5u);
  EXPECT_EQ(of_class(root, "shade-0").size(), 3u);
  EXPECT_EQ(of_class(root, "shade-3").size(), 2u);
  EXPECT_THAT(texts_of(root), Contains("row 2"));
  EXPECT_THAT(texts_of(root), Contains("no item"));
}

TEST(LoadPicture, MoreThreadsAndRowsThanAreDrawn) {
  RowLoad load = load_of(std::vector<std::int64_t>(1000, 1), {{0}});
  load.rows = 900;
  const XmlElement root = elements_of(load_picture(load));
  EXPECT_EQ(of_class(root, "solid").size(), kMostDrawnThreads);
  EXPECT_THAT(texts_of(root), Contains("899 more rows not drawn"));
}

}  // namespace
}  // namespace selvage
