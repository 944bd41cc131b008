#include <selvage/expr/symbols.h>
#include <selvage/simplifier/verdict.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

struct PointTest : testing::Test {
  ExprPool pool;
  Expr i = pool.symbol("i"), j = pool.symbol("j"), n = pool.symbol("N");
  Point point = {{n, 7}, {j, 2}};
};

TEST_F(PointTest, GivesSymbolsAndExpressionsTheirValues) {
  EXPECT_EQ(value_of(n, point), 7);
  EXPECT_EQ(value_of(i, point), std::nullopt);
  EXPECT_EQ(value_at(n * 10 + j, point), 72);
  EXPECT_EQ(value_at(n / (j - 2), point), std::nullopt);
}

TEST_F(PointTest, IsPutInOrderLoopsFirstAndSaysWhatIsLeftOpenAs0) {
  const std::vector<Expr> loops = {i, j};
  EXPECT_EQ(to_text(in_order(loops, point)), "i = 0, j = 2, N = 7");
  EXPECT_EQ(to_text(point_at(loops, values_in(point))), "i = 7, j = 2");
}

TEST_F(PointTest, CoversAnExpressionOfItsSymbolsOnly) {
  const Expr covered = n - j, open = n - i;
  EXPECT_TRUE(uses_only(std::span(&covered, 1), symbols_in(point)));
  EXPECT_FALSE(uses_only(std::span(&open, 1), symbols_in(point)));
  EXPECT_TRUE(contains(symbols_in(point), j));
  EXPECT_FALSE(contains(symbols_in(point), i));
}

TEST_F(PointTest, IsWhatRefutesAVerdict) {
  EXPECT_EQ(to_text(point_of(Refuted{point})), "N = 7, j = 2");
  EXPECT_TRUE(point_of(Proved{}).empty());
  EXPECT_EQ(to_string(Verdict(Unknown{})), "unknown");
}

TEST_F(PointTest, AProofOfSeveralPartsNamesEveryRuleOnce) {
  Proved proof{{"interval"}};
  add_rules(Proved{{"law A", "interval"}}, proof);
  add_rules(Refuted{point}, proof);
  add_rules(Proved{{"law A", "law B"}}, proof);
  EXPECT_EQ(proof.rules, (std::vector<std::string>{"interval", "law A", "law B"}));
}

}  // namespace
}  // namespace selvage
