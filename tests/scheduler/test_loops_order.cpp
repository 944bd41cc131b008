// When a thread for each row is the faster of two ways, beside times that others have measured.
#include <selvage/scheduler/row_schedules.h>

#include <gtest/gtest.h>

#include <cstdio>

#include "tests/support/loops_order.h"

namespace selvage {
namespace {

// All that is known of a matrix are its rows and its items. Where a matrix does not fit L2, that
// decides nearly all; within L2 a single long row does, which nobody has published.
TEST(LoopsOrder, IsTheExpectedOneAsFarAsRowsAndItemsTellIt) {
  const test::LoopsOrder order = test::loops_order();
  std::printf("[FIGURE] a thread for each row or a merge path: %d of %d, past L2 %d of %d\n",
              order.all.right, order.all.all, order.past_l2.right, order.past_l2.all);
  EXPECT_GE(order.all.all, 400);
  EXPECT_GE(order.past_l2.all, 100);
  EXPECT_GE(order.all.share(), 0.82);
  EXPECT_GE(order.past_l2.share(), 0.88);
}

// Of matrices that L2 does not hold the one whose items are in any row is the likely one.
TEST(LoopsOrder, OfLargeMatricesIsThatOfPredictedTimes) {
  const test::PredictedTimes predicted(test::RowLengths::AtRandom);
  test::Hits hits;
  int seen = 0;
  for (const test::LoopsTime& time : test::loops_times()) {
    if (!time.has_order() || time.items <= items_in_l2(test::v100())) continue;
    if (seen++ % 6 != 0) continue;
    const test::LoopsTime own = predicted.of(time);
    hits.right += own.is_thread_faster() == time.is_thread_faster() ? 1 : 0;
    ++hits.all;
    EXPECT_LT(own.path, 3 * time.path) << time.matrix;
    EXPECT_GT(own.path, time.path / 3) << time.matrix;
  }
  EXPECT_GE(hits.share(), 0.75);
}

}  // namespace
}  // namespace selvage
