// The judge of vector accesses, judged by cases that a person can check.
#include <gtest/gtest.h>

#include "tests/oracle/access_case.h"
#include "tests/oracle/steps.h"

namespace selvage::oracle {
namespace {

using Ints = std::vector<std::int64_t>;

TEST(VectorAccess, RowsOfTenCannotBeStoredByFoursOncePadded) {
  // {2, 10}, rows 12 apart, merged, split by 4: the third group holds items 8 to 11 of 20.
  Graph g = make_graph({2, 10});
  const int vector = split_by(g, merge_of(g, 0, 1), 4).inner;
  const VectorAccess broken = vector_access(g, {{0, 1}, {12, 1}}, vector);
  ASSERT_TRUE(broken.violation.has_value());
  EXPECT_EQ(broken.violation->what, VectorAccess::Violation::NotConsecutive);
  EXPECT_EQ(broken.violation->point, (Ints{2, 0}));
  EXPECT_EQ(broken.violation->addresses, (Ints{8, 9, 12, 13}));
  EXPECT_FALSE(broken.legal());

  EXPECT_TRUE(vector_access(g, dense_layout(g, {0, 1}), vector).legal());
  // By twos, which divide a row, the same rows are in order.
  Graph by_two = make_graph({2, 10});
  const int two = split_by(by_two, merge_of(by_two, 0, 1), 2).inner;
  EXPECT_TRUE(vector_access(by_two, {{0, 1}, {12, 1}}, two).legal());
}

TEST(VectorAccess, ABreakNextToAnAxisOfExtentOneIsNone) {
  Graph g = make_graph({1, 10});
  const int vector = split_by(g, merge_of(g, 0, 1), 4).inner;
  const VectorAccess r = vector_access(g, {{0, 1}, {12, 1}}, vector);
  EXPECT_TRUE(r.legal());
  EXPECT_EQ(r.full, 2);
  EXPECT_EQ(r.partial, 1);  // items 8 and 9
  EXPECT_EQ(r.empty, 0);
}

TEST(VectorAccess, TheFirstElementOfEveryGroupIsAligned) {
  Graph g = make_graph({3, 8});
  const int vector = split_by(g, 1, 4).inner;
  EXPECT_TRUE(vector_access(g, {{0, 1}, {12, 1}}, vector).legal());
  const VectorAccess r = vector_access(g, {{0, 1}, {10, 1}}, vector);
  ASSERT_TRUE(r.violation.has_value());
  EXPECT_EQ(r.violation->what, VectorAccess::Violation::Misaligned);
  EXPECT_EQ(r.violation->point, (Ints{1, 0, 0}));
  EXPECT_EQ(r.violation->addresses, (Ints{10, 11, 12, 13}));
}

TEST(VectorAccess, GroupsThatAreAllPartialAreNeverAtFault) {
  Graph g = make_graph({5, 3});
  const int vector = split_by(g, 1, 4).inner;  // 3 of 4
  const VectorAccess r = vector_access(g, {{0, 1}, {7, 1}}, vector);
  EXPECT_TRUE(r.legal());
  EXPECT_EQ(r.full, 0);
  EXPECT_EQ(r.partial, 5);
}

TEST(VectorAccess, AccessesAreOfTwoToSixteenBytes) {
  for (std::int64_t bytes : {1, 2, 4, 8})
    for (std::int64_t width = 1; width <= 32; ++width) {
      const std::int64_t access = width * bytes;
      const bool power =
          width == 1 || width == 2 || width == 4 || width == 8 || width == 16 || width == 32;
      EXPECT_EQ(is_legal_width(width, bytes), power && access >= 2 && access <= 16)
          << width << " of " << bytes;
    }
}

TEST(VectorAccess, ABaseOfLessAlignmentIsAskedForMore) {
  Graph g = make_graph({8});
  const int vector = split_by(g, 0, 4).inner;
  Layout layout = dense_layout(g, {0});
  EXPECT_FALSE(vector_access(g, layout, vector).asks_base_alignment);
  layout.align = 8;
  EXPECT_TRUE(vector_access(g, layout, vector).asks_base_alignment);
  EXPECT_TRUE(vector_access(g, layout, vector).legal());
}

TEST(VectorAccess, TheVectorNeedNotBeTheInnermostLoop) {
  Graph g = make_graph({4, 6});
  const OuterInner cut = split_by(g, 1, 2);
  g.loop = {cut.inner, 0, cut.outer};
  EXPECT_TRUE(vector_access(g, dense_layout(g, {0, 1}), cut.inner).legal());
  // The rows as vector: 6 apart.
  const VectorAccess r = vector_access(g, dense_layout(g, {0, 1}), 0);
  ASSERT_TRUE(r.violation.has_value());
  EXPECT_EQ(r.violation->point, (Ints{0, 0, 0}));
  EXPECT_EQ(r.violation->addresses, (Ints{0, 6, 12, 18}));
}

TEST(VectorAccess, ColumnsSwizzledInPiecesOfTheVectorStayInOrder) {
  const auto tile = [](bool vector_too) {
    Graph g = make_graph({8, 32});
    const OuterInner cut = split_by(g, 1, 4);
    const int x = vector_too ? cut.inner : cut.outer;
    if (vector_too) {
      const int four = split_by(g, 0, 4).inner;
      const int lane = swizzle_of(g, Step::Xor, four, x).inner;
      return vector_access(g, dense_layout(g, {0, 1}), lane);
    }
    swizzle_of(g, Step::Xor, 0, x);
    return vector_access(g, dense_layout(g, {0, 1}), cut.inner);
  };
  EXPECT_TRUE(tile(false).legal());
  ASSERT_TRUE(tile(true).violation.has_value());
  EXPECT_EQ(tile(true).violation->addresses, (Ints{33, 32, 35, 34}));
}

TEST(VectorAccess, ThePaddedRowsOfAResizeShiftTheGroups) {
  const auto shifted = [](std::int64_t left) {
    Graph g = make_graph({16});
    const int vector = split_by(g, resize_of(g, 0, left, 0), 4).inner;
    return vector_access(g, dense_layout(g, {0}), vector);
  };
  EXPECT_TRUE(shifted(4).legal());
  EXPECT_EQ(shifted(4).empty, 1);
  EXPECT_FALSE(shifted(1).legal());
  EXPECT_EQ(shifted(1).partial, 2);
  EXPECT_EQ(shifted(1).violation->addresses, (Ints{3, 4, 5, 6}));
}

// Groups of n of a merge of A and B, B's rows apart: consecutive iff n divides B or A is 1.
TEST(VectorAccess, GroupsOfAMergeOfSeparatedRowsAreConsecutiveIffTheyDivideARow) {
  for (std::int64_t a = 1; a <= 5; ++a)
    for (std::int64_t b = 1; b <= 24; ++b)
      for (std::int64_t n : {2, 4}) {
        Graph g = make_graph({a, b});
        const int vector = split_by(g, merge_of(g, 0, 1), n).inner;
        const std::int64_t apart = (b + n) / n * n;  // past b, and a multiple of n
        const VectorAccess r = vector_access(g, {{0, 1}, {apart, 1}}, vector);
        const bool crossing_is_never_full = a * b / n * n <= b;  // no full group past the first row
        EXPECT_EQ(r.legal(), b % n == 0 || a == 1 || crossing_is_never_full)
            << a << " " << b << " " << n;
      }
}

}  // namespace
}  // namespace selvage::oracle
