#include <selvage/base/diagnostic.h>
#include <selvage/expr/text.h>
#include <tests/expr/random_expr.h>
#include <tests/support/counts.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

TEST(Text, WhatIsPrintedIsReadBackAsTheSameHandle) {
  ExprPool pool;
  RandomExpr random(pool, 1);
  for (int k = 0; k < count(5000, 200000); ++k) {
    const Expr e = k % 3 == 0 ? random.truth(5) : random.integer(5);
    const std::string text = to_string(e);
    ASSERT_TRUE(same(parse_expr(pool, text), e)) << text;
    ASSERT_EQ(text_length(e, 1 << 20), text.size());
  }
}

TEST(Text, LoadsAndCallsAreReadBackToo) {
  ExprPool pool;
  for (const char* text : {"offsets[row + 1] - offsets[row]", "f()", "f(i, g(j) * 2)", "t[]",
                           "t[i, j / 2]", "select(t[i] < 3, f(i), 0)"}) {
    EXPECT_EQ(to_string(parse_expr(pool, text)), text);
  }
}

TEST(Text, ParenthesesAreWrittenOnlyWhereTheyChangeTheGrouping) {
  ExprPool pool;
  for (const char* text : {
           "a + b - c",
           "a - (b - c)",
           "a + (b + c)",
           "a * b / c % d",
           "a * (b / c)",
           "(a + b) * c",
           "a / 4 * 4 + a % 4",
           "a < b && b <= c || c == d",
           "a < b && (b <= c || c == d)",
           "!(a < b)",
           "(a != b) && a < 3",
           "(a ^ b) + 1",
           "(a ^ (b ^ c))",
           "((a ^ b) ^ c)",
           "min(a, b + 1) * max(c, -1)",
           "select(a < b || true, a, 0 - b)",
           "-5 - -9223372036854775808",
       }) {
    EXPECT_EQ(to_string(parse_expr(pool, text)), text);
  }
}

TEST(Text, OtherSpellingsMeanTheSame) {
  ExprPool pool;
  const auto means = [&](const char* text, const char* same_as) {
    EXPECT_TRUE(same(parse_expr(pool, text), parse_expr(pool, same_as))) << text;
  };
  means("a > b", "b < a");
  means("a >= b", "b <= a");
  means("a != b", "!(a == b)");
  means("-a * b", "(0 - a) * b");
  means("- 7", "-7");
  means("ceilDiv(N, 4)", "(N + 3) / 4");
  means("ceilDiv(N, K)", "(N + (K - 1)) / K");
  means("\ta+b*c", "a + (b * c)");
  means("a ^ b + c", "a ^ (b + c)");
}

TEST(Text, ALetIsWrittenByItsNameOrItsDefinition) {
  ExprPool pool;
  const Expr sum = pool.symbol("i") + pool.symbol("j");
  const Expr t = pool.let(sum);
  const LetNames names = {{t.id(), "_t0"}};
  EXPECT_EQ(to_string(t * 4, &names), "_t0 * 4");
  EXPECT_EQ(to_string(t * 4), "(i + j) * 4");
  EXPECT_EQ(to_string(pool.constant(4) - t), "4 - (i + j)");
}

TEST(Text, LengthStopsCountingPastItsLimit) {
  ExprPool pool;
  Expr e = pool.symbol("i");
  for (int k = 0; k < 60; ++k) e = e * e;  // 2^60 characters and more
  EXPECT_EQ(e.size(), UINT32_MAX);
  EXPECT_GT(text_length(e, 4096), 4096u);
  EXPECT_LT(text_length(e, 4096), 5000u);
}

TEST(Text, SmtLooksThroughLetAndWritesNegativesAsTerms) {
  ExprPool pool;
  const Expr i = pool.symbol("i"), n = pool.symbol("N");
  EXPECT_EQ(to_smt(pool.let(i / 4) % n), "(mod (div i 4) N)");
  EXPECT_EQ(to_smt(i + INT64_MIN <= n), "(<= (+ i (- 9223372036854775808)) N)");
  EXPECT_EQ(to_smt(min(i, n)), "(ite (<= i N) i N)");
  EXPECT_EQ(to_smt(!eq(i, 0) || pool.truth(false)), "(or (not (= i 0)) false)");
  const Expr operands[] = {i, n};
  EXPECT_EQ(to_smt(pool.call("f", operands)), "(f i N)");
  EXPECT_EQ(to_smt(pool.load("c", {})), "c");
}

}  // namespace
}  // namespace selvage
