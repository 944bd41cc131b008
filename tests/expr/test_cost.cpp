#include <selvage/expr/cost.h>
#include <selvage/expr/text.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

std::int64_t total(std::string_view text) {
  ExprPool pool;
  return cost_of(parse_expr(pool, text)).total;
}

TEST(Cost, DivisionsAreDearProductsLessAndTheRestCheap) {
  EXPECT_EQ(total("x"), 0);
  EXPECT_EQ(total("7"), 0);
  EXPECT_EQ(total("x / 4 + x % 4"), 21);
  EXPECT_EQ(total("a * b - c"), 4);
  EXPECT_EQ(total("a < b && c <= d || a == d"), 5);
  EXPECT_EQ(total("min(a, max(b, c))"), 2);
  EXPECT_EQ(total("select(a < b, a, b)"), 3);
  EXPECT_EQ(total("!(a == b)"), 1);
  EXPECT_EQ(total("!(a < b)"), 2);
}

TEST(Cost, AFactorOfOneIsFreeAndASignIsASubtraction) {
  EXPECT_EQ(total("1 * x * 1"), 0);
  EXPECT_EQ(total("-1 * x"), 1);
  EXPECT_EQ(total("a + -1 * b"), total("a - b"));
  EXPECT_EQ(total("-1 * b + a"), total("a - b"));
  EXPECT_EQ(total("a + -3 * b"), total("a - 3 * b"));
}

TEST(Cost, CountsEveryUseOfASharedPart) {
  ExprPool pool;
  Expr x = pool.symbol("x");
  for (int k = 0; k < 10; ++k) x = x / 2 + x % 2;
  EXPECT_EQ(cost_of(x).total, 21 * 1023);
  EXPECT_EQ(cost_of(x).divisions, 2 * 1023);
}

TEST(Cost, HasAnEnd) {
  ExprPool pool;
  Expr x = pool.symbol("x");
  for (int k = 0; k < 20'000; ++k) x = x / 2 + x % 2;
  EXPECT_EQ(cost_of(x).total, Cost::kMost);
  EXPECT_EQ(cost_of(x).divisions, Cost::kMost);
}

TEST(Cost, ALetIsComputedElsewhere) {
  ExprPool pool;
  const Expr let = pool.let(parse_expr(pool, "x / 4"));
  EXPECT_EQ(cost_of(let + let).total, 1);
  EXPECT_EQ(cost_of(let + let).divisions, 0);
}

TEST(Clauses, AreConjunctsThatSayAnything) {
  ExprPool pool;
  const auto clauses = [&](std::string_view text) { return clauses_of(parse_expr(pool, text)); };
  EXPECT_EQ(clauses("a < b && (c < d && a < d)"), 3);
  EXPECT_EQ(clauses("a < b || c < d"), 1);
  EXPECT_EQ(clauses("true && a < b"), 1);
  EXPECT_EQ(clauses("true"), 0);
  EXPECT_EQ(clauses("false"), 1);
}

}  // namespace
}  // namespace selvage
