// The judge of TMA copies: small ones by hand, and the theorem of what is impossible, exhaustively.
#include <gtest/gtest.h>

#include "tests/oracle/access_case.h"
#include "tests/oracle/steps.h"

namespace selvage::oracle {
namespace {

using Ints = std::vector<std::int64_t>;

TmaCopy judge(const Graph& g, const Layout& layout, const std::vector<int>& bulk,
              const std::vector<TmaDim>& dims) {
  std::vector<int> coordinate_of;
  for (const TmaDim& d : dims) coordinate_of.push_back(d.iterdomain);
  return tma_copy(g, layout, bulk, tensor_map(g, layout, dims), coordinate_of);
}

TEST(TmaCopy, ATileThatHangsOverTheEdgeIsFilledWithZeroes) {
  Graph g = make_graph({10, 12});
  const OuterInner rows = split_by(g, 0, 4), columns = split_by(g, 1, 8);
  const TmaCopy r = judge(g, dense_layout(g, {0, 1}), {rows.inner, columns.inner},
                          {{0, 0, rows.inner}, {1, 1, columns.inner}});
  EXPECT_TRUE(r.fits);
  EXPECT_TRUE(r.strong());
}

TEST(TmaCopy, TheLoopsOfTheTileRunAsTheDimensionsDo) {
  Graph g = make_graph({8, 8});
  const OuterInner rows = split_by(g, 0, 4), columns = split_by(g, 1, 4);
  const TmaCopy r = judge(g, dense_layout(g, {0, 1}), {columns.inner, rows.inner},
                          {{0, 0, rows.inner}, {1, 1, columns.inner}});
  EXPECT_FALSE(r.weak());
  ASSERT_TRUE(r.weak_fault.has_value());
  EXPECT_EQ(r.weak_fault->point, (Ints{0, 1, 0, 0}));  // loops: rows and columns, outer and inner
  EXPECT_EQ(r.weak_fault->loaded, 4);                  // the second element of the row
  EXPECT_EQ(r.weak_fault->wanted, 32);
}

TEST(TmaCopy, ATileOfAnotherSizeThanTheBoxIsRefused) {
  Graph g = make_graph({8, 8});
  const OuterInner rows = split_by(g, 0, 4), columns = split_by(g, 1, 4);
  const TmaCopy r = judge(g, dense_layout(g, {0, 1}), {rows.inner, columns.inner},
                          {{0, 0}, {1, 1, columns.inner}});
  EXPECT_FALSE(r.fits);
  EXPECT_FALSE(r.weak());
}

// {a, b} with rows `apart`, merged; the merge split by `box`.
TmaCopy merged_rows(std::int64_t b, std::int64_t apart, std::int64_t box, bool one_dimension) {
  Graph g = make_graph({3, b});
  const int merged = merge_of(g, 0, 1);
  const int bulk = split_by(g, merged, box).inner;
  const Layout layout{{0, 1}, {apart, 1}};
  if (one_dimension) return judge(g, layout, {bulk}, {{merged, 1, bulk}});
  return judge(g, layout, {bulk}, {{0, 0}, {1, 1, bulk}});
}

TEST(TmaCopy, ContiguousRowsMayBeOneDimension) {
  EXPECT_TRUE(merged_rows(10, 10, 4, true).strong());
  EXPECT_FALSE(merged_rows(10, 12, 4, true).weak());
}

TEST(TmaCopy, SeparatedRowsMayBeMergedWhereTheBoxDividesARow) {
  EXPECT_TRUE(merged_rows(8, 12, 4, false).strong());
  const TmaCopy r = merged_rows(10, 12, 4, false);
  ASSERT_TRUE(r.weak_fault.has_value());
  EXPECT_EQ(r.weak_fault->point, (Ints{2, 2}));  // item 10, the first of the second row
  EXPECT_EQ(r.weak_fault->loaded, std::nullopt);
  EXPECT_EQ(r.weak_fault->wanted, 48);
}

// Rows of four, S of them, split by B, then by e; the outer part of that is the tile.
TmaCopy by_element_stride(std::int64_t size, std::int64_t box, std::int64_t stride) {
  Graph g = make_graph({size, 4});
  const OuterInner boxes = split_by(g, 0, box), steps = split_by(g, boxes.inner, stride);
  return judge(g, dense_layout(g, {0, 1}), {steps.outer, 1},
               {{0, 0, boxes.inner, steps.inner}, {1, 1, 1}});
}

TEST(TmaCopy, AnElementStrideThatDividesNoBoxBringsTheNextTileIntoAHole) {
  EXPECT_TRUE(by_element_stride(12, 4, 2).strong());
  // Rows 0, 2, 4 of a box of 5, then 1, 3 and, as a hole, 5.
  const TmaCopy r = by_element_stride(12, 5, 2);
  EXPECT_TRUE(r.weak());
  EXPECT_FALSE(r.strong_with_fallback());
  ASSERT_TRUE(r.fallback_fault.has_value());
  EXPECT_EQ(r.fallback_fault->point, (Ints{0, 2, 1, 0}));
  EXPECT_EQ(r.fallback_fault->loaded, 5 * 16);
  // A stride past the box: tiles of holes only, which a copy from outside the tensor fills with 0.
  EXPECT_FALSE(by_element_stride(12, 3, 4).strong());
  EXPECT_TRUE(by_element_stride(12, 3, 4).strong_with_fallback());
}

TEST(TmaCopy, StrongCorrectnessIsImpossibleIffTheStrideIsBelowABoxBelowTheSizeAndDividesItNot) {
  int impossible = 0;
  for (std::int64_t size = 1; size <= 13; ++size)
    for (std::int64_t box = 1; box <= 13; ++box)
      for (std::int64_t stride = 1; stride <= 8; ++stride) {
        const TmaCopy r = by_element_stride(size, box, stride);
        EXPECT_TRUE(r.weak()) << size << " " << box << " " << stride;
        const bool theorem = stride < box && box < size && box % stride != 0;
        EXPECT_EQ(!r.strong_with_fallback(), theorem) << size << " " << box << " " << stride;
        impossible += theorem;
      }
  EXPECT_EQ(impossible, 163);
}

}  // namespace
}  // namespace selvage::oracle
