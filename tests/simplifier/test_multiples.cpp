// Divisions by parts of sizes that are known to be multiples.
#include <selvage/expr/text.h>
#include <selvage/simplifier/multiples.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

TEST(Multiples, OfASizeMakeDivisionsByItsPartsExact) {
  ExprPool pool;
  Facts facts(pool);
  const Expr C = pool.symbol("C"), N = pool.symbol("N");
  facts.bound(C, pool.constant(4), {});
  facts.congruent(C, 12);
  facts.bound(N, pool.constant(1), {});
  const auto text = [&](Expr e) { return to_string(simplify_with_multiples(facts, e)); };
  EXPECT_EQ(text(C / (C / 4)), "4");
  EXPECT_EQ(text(ceil_div(C, C / 4)), "4");
  EXPECT_EQ(text((C - 1) / (C / 4) + 1), "4");
  EXPECT_EQ(text(C * 5 / (C / 2)), "10");
  EXPECT_EQ(text(C % (C / 6)), "0");
  EXPECT_EQ(text(C / 2 % (C / 4)), "0");
  EXPECT_EQ(text(ceil_div(C * N, C / 3)), "N * 3");
  // Nothing is known of a fifth.
  EXPECT_EQ(text(C / (C / 5)), "C / (C / 5)");
}

}  // namespace
}  // namespace selvage
