// The count of bank conflicts, judged by cases that everybody knows.
#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

#include "tests/oracle/access_case.h"
#include "tests/oracle/steps.h"

namespace selvage::oracle {
namespace {

using Addresses = std::vector<std::optional<std::int64_t>>;

// Threads 0 to 31 at `stride` bytes from one another.
Addresses strided(std::int64_t stride) {
  Addresses a;
  for (std::int64_t t = 0; t < 32; ++t) a.push_back(t * stride);
  return a;
}

TEST(BankConflicts, AStrideOfWordsConflictsByItsCommonDivisorWith32) {
  for (std::int64_t words = 1; words <= 64; ++words)
    EXPECT_EQ(conflict_degree(strided(4 * words), 4), std::gcd(words, std::int64_t{32})) << words;
  EXPECT_EQ(conflict_degree(strided(0), 4), 1);  // one word for all
}

TEST(BankConflicts, BytesAndHalvesOfOneWordAreOneAccess) {
  EXPECT_EQ(conflict_degree(strided(1), 1), 1);
  EXPECT_EQ(conflict_degree(strided(2), 2), 1);
  EXPECT_EQ(conflict_degree(strided(128), 2), 32);
  EXPECT_EQ(conflict_degree(strided(66), 2), 1);  // 16.5 words: the halves of a word apart
  EXPECT_EQ(conflict_degree(strided(68), 2), 1);
  EXPECT_EQ(conflict_degree(strided(64), 2), 16);
}

TEST(BankConflicts, WideAccessesAreServedInHalvesAndQuarters) {
  EXPECT_EQ(conflict_degree(strided(8), 8), 1);    // 16 threads, 32 words
  EXPECT_EQ(conflict_degree(strided(16), 16), 1);  // 8 threads, 32 words
  EXPECT_EQ(conflict_degree(strided(16), 8), 2);   // every other pair of banks
  EXPECT_EQ(conflict_degree(strided(32), 16), 2);
  EXPECT_EQ(conflict_degree(strided(128), 16), 8);
  EXPECT_EQ(conflict_degree(strided(128), 8), 16);
  EXPECT_EQ(conflict_degree(strided(128 + 16), 16), 1);  // rows of 32 floats and 4 of padding
}

TEST(BankConflicts, ThreadsThatTakeNoPartDoNotConflict) {
  Addresses a = strided(128);
  for (std::size_t t = 0; t < 30; ++t) a[t].reset();
  EXPECT_EQ(conflict_degree(a, 4), 2);
  EXPECT_EQ(conflict_degree(Addresses(32), 4), 0);
  EXPECT_THROW(conflict_degree(a, 12), std::invalid_argument);
}

// A tile of 32 x 32 floats, 32 threads by 8: rows along x, or columns along x.
int degree(const Graph& tile, const Layout& layout, int along_x) {
  Graph g = tile;
  g.loop = g.logical;
  const int other = along_x == g.logical[0] ? g.logical[1] : g.logical[0];
  const OuterInner cut = split_by(g, other, 8);
  return bank_conflicts(g, layout, {{along_x, Role::ThreadX}, {cut.inner, Role::ThreadY}}).degree;
}

TEST(BankConflicts, TheColumnsOfATransposeTileConflict32WaysAndPaddedNot) {
  const Graph tile = make_graph({32, 32});
  EXPECT_EQ(degree(tile, {{0, 1}, {32, 1}}, 1), 1);
  EXPECT_EQ(degree(tile, {{0, 1}, {32, 1}}, 0), 32);
  EXPECT_EQ(degree(tile, {{0, 1}, {33, 1}}, 1), 1);
  EXPECT_EQ(degree(tile, {{0, 1}, {33, 1}}, 0), 1);
  EXPECT_EQ(degree(tile, {{0, 1}, {34, 1}}, 0), 2);
}

TEST(BankConflicts, SwizzledColumnsDoNotConflict) {
  for (Step::Kind kind : {Step::Xor, Step::CyclicShift}) {
    Graph tile = make_graph({32, 32});
    const OuterInner swizzled = swizzle_of(tile, kind, 0, 1);
    tile.view_steps = 1;  // it lies in memory so; its loops start from the logical domain
    const Layout layout = dense_layout(tile, {swizzled.outer, swizzled.inner});
    EXPECT_EQ(degree(tile, layout, 1), 1);
    EXPECT_EQ(degree(tile, layout, 0), 1);
  }
}

TEST(BankConflicts, RowsReadByFoursWantPiecesOfFourSwizzled) {
  // Each thread reads four floats of its own row.
  const auto by_fours = [](Graph g, const Layout& layout) {
    g.loop = g.logical;
    const int vector = split_by(g, 1, 4).inner;
    return bank_conflicts(g, layout, {{0, Role::ThreadX}, {vector, Role::Vector}}).degree;
  };
  const Graph plain = make_graph({32, 32});
  EXPECT_EQ(by_fours(plain, {{0, 1}, {32, 1}}), 8);
  EXPECT_EQ(by_fours(plain, {{0, 1}, {36, 1}}), 1);

  Graph tile = make_graph({32, 32});
  const OuterInner pieces = split_by(tile, 1, 4), periods = split_by(tile, 0, 8);
  const OuterInner swizzled = swizzle_of(tile, Step::Xor, periods.inner, pieces.outer);
  tile.view_steps = 3;
  EXPECT_EQ(by_fours(tile, dense_layout(tile, {periods.outer, swizzled.outer, swizzled.inner,
                                               pieces.inner})),
            1);
}

TEST(BankConflicts, AWarpRunsOnIntoTheNextRowOfThreads) {
  // 8 x 4 threads make one warp: four rows of 8 words, 32 words apart, in the same banks.
  Graph g = make_graph({4, 8});
  const Binding binding = {{0, Role::ThreadY}, {1, Role::ThreadX}};
  EXPECT_EQ(bank_conflicts(g, {{0, 1}, {32, 1}}, binding).degree, 4);
  EXPECT_EQ(bank_conflicts(g, {{0, 1}, {8, 1}}, binding).degree, 1);
  // In a block of 32 x 4 each row of threads is a warp of its own.
  EXPECT_EQ(bank_conflicts(g, {{0, 1}, {32, 1}}, binding, {32, 4, 1}).degree, 1);
}

TEST(BankConflicts, ThreadsAtHolesTakeNoPart) {
  Graph rows = make_graph({2, 32});
  const int row = resize_of(rows, 0, 0, 30);  // 32 threads, two of them with a row
  const BankConflicts r = bank_conflicts(rows, {{0, 1}, {32, 1}}, {{row, Role::ThreadX}});
  EXPECT_EQ(r.degree, 2);
  EXPECT_EQ(r.point, (std::vector<std::int64_t>{0, 0}));
}

TEST(BankConflicts, WhatAThreadReadBeforeDoesNotCountAtItsHole) {
  // Items 0, 1 | 2 and a hole; item 2 is in the bank of item 1, which nobody reads any more.
  Graph g = make_graph({3});
  const OuterInner steps = split_by(g, 0, 2);
  const Layout layout{{steps.outer, steps.inner}, {33, 1}};
  EXPECT_EQ(bank_conflicts(g, layout, {{steps.inner, Role::ThreadX}}).degree, 1);
}

TEST(BankConflicts, TheWorstPointIsTold) {
  // 32 threads along two rows of 48, 64 apart: first 0 to 31, then 32 to 47 and 64 to 79.
  Graph g = make_graph({2, 48});
  const OuterInner steps = split_by(g, merge_of(g, 0, 1), 32);
  const BankConflicts r = bank_conflicts(g, {{0, 1}, {64, 1}}, {{steps.inner, Role::ThreadX}});
  EXPECT_EQ(r.degree, 2);
  EXPECT_EQ(r.point, (std::vector<std::int64_t>{1, 0}));
}

TEST(BankConflicts, PartialGroupsAreAccessedByElements) {
  Graph g = make_graph({8, 6});  // by fours: one full group and one partial of each row
  const OuterInner cut = split_by(g, 1, 4);
  const Binding binding = {{0, Role::ThreadX}, {cut.inner, Role::Vector}};
  const BankConflicts r = bank_conflicts(g, {{0, 1}, {32, 1}}, binding);
  EXPECT_EQ(r.degree, 8);
  EXPECT_EQ(r.scalar_degree, 8);
  EXPECT_EQ(bank_conflicts(g, {{0, 1}, {36, 1}}, binding).degree, 1);
  EXPECT_EQ(bank_conflicts(g, {{0, 1}, {36, 1}}, binding).scalar_degree, 1);
}

}  // namespace
}  // namespace selvage::oracle
