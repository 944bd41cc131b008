#include <selvage/pictures/thread_numbers.h>

#include <gtest/gtest.h>

#include "tests/pictures/drawings.h"

namespace selvage {
namespace {

using test::Inspected;

TEST(ThreadNumbers, RunFastestAlongX) {
  const Inspected i(
      "tensors: {T: {dtype: float, logical: {a: 3, b: 4, c: 5, d: 2}, "
      "bind: {a: TIDz, b: TIDx, c: TIDy}}}\n");
  const ThreadNumbers threads(*i.tensor().schedule, i.tensor().analysis);
  EXPECT_EQ(threads.count(), 60);
  EXPECT_FALSE(threads.is_plain());
  EXPECT_EQ(threads.at(std::vector<std::int64_t>{2, 1, 3, 1}), 1 + 4 * (3 + 5 * 2));
  EXPECT_TRUE(threads.depends_only_on({0, 1, 2}));
  EXPECT_FALSE(threads.depends_only_on({1, 2, 3}));
  std::vector<std::int64_t> point(4, 1);
  for (std::int64_t t = 0; t < 60; ++t) {
    ASSERT_TRUE(threads.put(t, point));
    EXPECT_EQ(threads.at(point), t);
    EXPECT_EQ(point[3], 1);
  }
  EXPECT_FALSE(threads.put(60, point));
  EXPECT_FALSE(threads.put(-1, point));
}

TEST(ThreadNumbers, ArePlainWithOneLoopOfThreads) {
  const Inspected i(
      "tensors: {T: {dtype: float, logical: {a: 1, b: 4}, bind: {a: TIDx, b: TIDy}}}\n");
  const ThreadNumbers threads(*i.tensor().schedule, i.tensor().analysis);
  EXPECT_TRUE(threads.is_plain());
  EXPECT_EQ(threads.count(), 4);
  const Inspected none("tensors: {T: {dtype: float, logical: {a: 3}}}\n");
  EXPECT_EQ(ThreadNumbers(*none.tensor().schedule, none.tensor().analysis).count(), 1);
}

}  // namespace
}  // namespace selvage
