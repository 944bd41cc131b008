// Folds that take in what the iterations of another tensor's loops add (Schedule::accumulate_at).
#include <selvage/base/diagnostic.h>
#include <selvage/ir/ops.h>
#include <selvage/lower/cost.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/oracle/draws.h"
#include "tests/support/counts.h"
#include "tests/support/lowered.h"
#include "tests/support/refusal.h"

namespace selvage {

namespace {

using oracle::draw;
using test::expect_agreement;
using testing::HasSubstr;

// Rows less their mean, and a fold of each column.
struct RowsAndColumns {
  RowsAndColumns(std::int64_t rows, std::int64_t length, Reduction how) {
    const Expr m = f.constant(rows), n = f.constant(length);
    const Tensor x = f.input("x", {m, n}, DataType::Float);
    y = f.output("y", x - mean(x, {1}, keepdim));
    const Expr i = f.fresh_index("i"), j = f.fresh_index("j");
    column = f.output("column", f.compute_fold("", {j}, {n}, {how, {i}, {m}}, x(i, j)));
  }

  // `of_block` rows a block, `threads` along a row; returns the parts of the column.
  TensorId accumulate(Schedule& s, std::int64_t of_block, std::int64_t threads) {
    const auto [i, j] = s.loops<2>(y);
    const auto [block, row] = s.split(i, of_block, {.outer = "block", .inner = "row"});
    const auto [step, thread] = s.split(j, threads, {.outer = "step", .inner = "thread"});
    s.bind(block, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
    s.like(column, y);
    const auto of_column = [&](ScheduledLoop l) { return ScheduledLoop{column.id(), l.domain}; };
    s.reorder({of_column(block), of_column(row), of_column(step), of_column(thread)});
    const TensorId parts = s.rfactor(column, {of_column(row)}, "parts");
    s.bind(of_column(block), ParallelType::Serial);
    s.accumulate_at(parts, row);
    return parts;
  }

  Fusion f;
  Tensor y, column;
};

TEST(Accumulated, ColumnsAreFoldedWhileRowsAreComputed) {
  RowsAndColumns c(64, 96, Reduction::Sum);
  Schedule s(c.f);
  c.accumulate(s, 8, 32);
  const Program p = expect_agreement(c.f, s);
  ASSERT_EQ(p.steps.size(), 2u);
  const std::string text = loop_nest(p);
  const std::size_t empty = text.find("parts.value[item.3] = 0"), loop = text.find("for row in 8");
  const std::size_t taken = text.find("parts.value[step] = parts.value[step] + x[");
  const std::size_t stored =
      text.find("parts[block * 96 + step * 32 + thread] = parts.value[step]");
  EXPECT_LT(empty, loop) << text;
  EXPECT_LT(loop, taken) << text;
  EXPECT_LT(taken, stored) << text;
  EXPECT_NE(stored, std::string::npos) << text;
}

// The parts of one block lie side by side, so that both kernels access whole sectors.
TEST(Accumulated, PartsLieInTheOrderOfLoops) {
  RowsAndColumns c(64, 96, Reduction::Sum);
  Schedule s(c.f);
  const TensorId parts = c.accumulate(s, 8, 32);
  EXPECT_EQ(s.fusion()[parts].allocation.size(), 2u);
  const ProgramCost cost = cost_of(lower(s)).value();
  for (const KernelCost& kernel : cost.kernels) {
    for (const AccessCost& a : kernel.accesses) EXPECT_FALSE(a.is_scattered()) << a.buffer;
  }
}

TEST(Accumulated, WhatFoldsNothingThereIsRefused) {
  RowsAndColumns c(8, 6, Reduction::Sum);
  Schedule s(c.f);
  const auto [i, j] = s.loops<2>(c.y);
  EXPECT_EQ(
      illegal([&, j = j] { s.accumulate_at(c.column, j); }),
      "selvage: error[E418]: column does not fold over i1 of y, and has nothing to accumulate "
      "there; help: cut it up like y; or compute it there without accumulating");
  Fusion g;
  const Tensor x = g.input("x", {g.constant(4)}, DataType::Float);
  const Tensor a = g.output("a", x + 1), b = g.output("b", x + 2);
  Schedule pointwise(g);
  EXPECT_EQ(
      illegal([&] { pointwise.accumulate_at(a, pointwise.loops<1>(b)[0]); }),
      "selvage: error[E421]: a folds over nothing that it could accumulate; help: compute it there "
      "without accumulating");
}

// What is accumulated is complete behind the loop, so nothing inside of it may read it.
TEST(Accumulated, AReaderInTheSameNestIsRefused) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(8), f.constant(6)}, DataType::Float);
  const Tensor total = named(sum(x, {0}, keepdim), "total");
  const Tensor y = f.output("y", x - total);
  Schedule s(f);
  const auto [i, j] = s.loops<2>(y);
  s.like(total, y);
  s.accumulate_at(total, i);
  EXPECT_THAT(
      illegal([&] { lower(s); }),
      HasSubstr("E418]: total is accumulated in the nest of y, and y reads it there, before "
                "it is complete; help: leave accumulate out of the schedule of total"));
}

// Sums, products, extremes and positions of random shapes, cut up at random.
TEST(Accumulated, RandomFoldsAgreeWithTheReference) {
  for (int seed = 0; seed < count(40, 400); ++seed) {
    std::mt19937_64 random(std::uint64_t(seed) + 1);
    const Reduction how = std::array{Reduction::Sum, Reduction::Max, Reduction::Mean,
                                     Reduction::ArgMin, Reduction::Variance}[draw(random, 0, 4)];
    const std::int64_t rows = draw(random, 1, 40), length = draw(random, 1, 50);
    const std::int64_t of_block = draw(random, 1, 9), threads = draw(random, 1, 20);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << rows << " x " << length << ", "
                                    << of_block << " rows a block, " << threads << " threads");
    RowsAndColumns c(rows, length, how);
    Schedule s(c.f);
    c.accumulate(s, of_block, threads);
    expect_agreement(c.f, s);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace

}  // namespace selvage
