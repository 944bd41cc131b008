// Tensors as trees of coordinates, beside what the words of the format say that they hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <selvage/base/diagnostic.h>
#include <selvage/base/random.h>
#include <selvage/base/stored_arrays.h>
#include <selvage/base/stored_tensor.h>
#include <tests/support/counts.h>
#include <tests/support/refusal.h>

#include <algorithm>
#include <map>

namespace selvage {
namespace {

namespace stored_tensor {

using testing::ElementsAre;
using Point = std::vector<std::int64_t>;
using Items = std::map<Point, std::vector<double>>;  // those of one point in their order

CoordinateTensor random_tensor(SplitMix64& random) {
  const auto below = [&](std::int64_t n) { return std::int64_t(random.next() % std::uint64_t(n)); };
  CoordinateTensor t;
  std::int64_t points = 1;
  for (std::int64_t axes = 2 + below(4); axes > 0; --axes) {
    t.extents.push_back(below(20) == 0 ? 0 : 1 + below(5));
    points *= t.extents.back();
  }
  t.coordinates.resize(t.extents.size());
  for (std::int64_t k = points == 0 ? 0 : below(40); k > 0; --k) {
    for (std::size_t a = 0; a < t.extents.size(); ++a) {
      t.coordinates[a].push_back(below(t.extents[a]));
    }
    t.value.push_back(double(below(100)));
  }
  return t;
}

Items items_in(const CoordinateTensor& t) {
  Items items;
  for (std::size_t k = 0; k < t.items(); ++k) {
    Point at;
    for (const auto& axis : t.coordinates) at.push_back(axis[k]);
    items[at].push_back(t.value[k]);
  }
  return items;
}

// The items below a node, from the top down.
void walk(const StoredTensor& t, std::size_t level, std::int64_t node, Point& at, Items& items) {
  if (level == t.levels.size()) {
    items[at].push_back(t.value[std::size_t(node)]);
    return;
  }
  const auto& [offsets, column] = t.levels[level];
  for (std::int64_t child = offsets[std::size_t(node)]; child < offsets[std::size_t(node) + 1];
       ++child) {
    at.push_back(column[std::size_t(child)]);
    walk(t, level + 1, child, at, items);
    at.pop_back();
  }
}

TEST(StoredTensor, ATreeHasTheItems) {
  SplitMix64 random(3);
  for (int n = 0; n < count(300, 3000); ++n) {
    const CoordinateTensor t = random_tensor(random);
    const StoredTensor csf = stored(t);
    Items items;
    for (std::int64_t root = 0; root < t.extents[0]; ++root) {
      Point at = {root};
      walk(csf, 0, root, at, items);
    }
    ASSERT_EQ(items, items_in(t));
    // Every array has its length, and no node but an item occurs twice or is without children.
    std::int64_t nodes = t.extents[0];
    for (std::size_t level = 0; level < csf.levels.size(); ++level) {
      const auto& [offsets, column] = csf.levels[level];
      const bool is_last = level + 1 == csf.levels.size();
      ASSERT_EQ(std::int64_t(offsets.size()), nodes + 1);
      ASSERT_EQ(offsets.front(), 0);
      ASSERT_EQ(offsets.back(), std::int64_t(column.size()));
      for (std::size_t p = 0; p + 1 < offsets.size(); ++p) {
        const auto begin = column.begin() + offsets[p], end = column.begin() + offsets[p + 1];
        ASSERT_TRUE(level == 0 || begin < end);
        ASSERT_TRUE(std::is_sorted(begin, end));
        ASSERT_TRUE(is_last || std::adjacent_find(begin, end) == end);
      }
      nodes = std::int64_t(column.size());
    }
    const CoordinateTensor back = items_of(csf);
    ASSERT_EQ(back.extents, t.extents);
    ASSERT_EQ(items_in(back), items_in(t));
    const auto arrays = arrays_of(csf, "T", DataType::Double, DataType::Int64);
    ASSERT_EQ(arrays.size(), 1 + 2 * csf.levels.size());
    const StoredTensor read = tensor_of(arrays, "T", t.extents, arrays.at("T"));
    ASSERT_EQ(items_in(items_of(read)), items_in(t));
  }
}

TEST(StoredTensor, IsAsItsWordsSay) {
  const StoredTensor t = stored({{3, 2, 4}, {{2, 0, 0}, {0, 1, 1}, {3, 3, 0}}, {7, 8, 9}});
  EXPECT_THAT(t.levels[0].offsets, ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(t.levels[0].column, ElementsAre(1, 0));
  EXPECT_THAT(t.levels[1].offsets, ElementsAre(0, 2, 3));
  EXPECT_THAT(t.levels[1].column, ElementsAre(0, 3, 3));
  EXPECT_THAT(t.value, ElementsAre(9, 8, 7));
  EXPECT_EQ(bad_input([] {
              stored({{std::int64_t{1} << 40, 2, 2}, {{}, {}, {}}, {}});
            }),
            "selvage: error[E605]: as csf the tensor would have 1099511627776 offsets for 0 items; "
            "help: put an axis of fewer coordinates first");
}

}  // namespace stored_tensor

}  // namespace
}  // namespace selvage
