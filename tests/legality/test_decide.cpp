// Counterexamples to claims about sizes.
#include <selvage/legality/decide.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

// N and M, each at most twice the other: where M has become small, N may become smaller.
TEST(Decide, ValuesOfACounterexampleAreAsSmallAsTheyAllowOneAnother) {
  ExprPool pool;
  const Expr N = pool.symbol("N"), M = pool.symbol("M");
  Facts facts(pool);
  for (Expr size : {N, M}) facts.bound(size, pool.constant(1), {});
  facts.assume(N <= M * 2);
  facts.assume(M <= N * 2);
  for (const std::int64_t least : {20, 31, 44}) {
    const Verdict verdict = decide(facts, M < least);
    ASSERT_TRUE(is_refuted(verdict));
    EXPECT_EQ(value_of(M, point_of(verdict)), least);
    EXPECT_EQ(value_of(N, point_of(verdict)), (least + 1) / 2);
  }
}

}  // namespace
}  // namespace selvage
