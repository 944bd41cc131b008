// When a thread for each row is the faster of two ways, beside times that others have measured.
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

}  // namespace
}  // namespace selvage
