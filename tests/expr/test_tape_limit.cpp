#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

TEST(Tape, StopsAtTheFirstSubexpressionPastItsLimit) {
  ExprPool pool;
  const Expr x = pool.symbol("x"), e = x * 1000 - x * 999;
  Tape tape(std::span(&e, 1), std::span(&x, 1));
  tape.limit(INT32_MIN, INT32_MAX);
  std::int64_t at = 2000000;
  EXPECT_TRUE(tape.evaluate(std::span(&at, 1)));
  EXPECT_EQ(tape.root(0), 2000000);
  at = 2147484;
  EXPECT_FALSE(tape.evaluate(std::span(&at, 1)));
  EXPECT_EQ(to_string(tape.stopped_at()), "x * 1000");
}

}  // namespace
}  // namespace selvage
