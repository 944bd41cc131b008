#include <selvage/confirm/hints.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <tests/expr/random_expr.h>
#include <tests/support/counts.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

using Hints = std::vector<Expr> (*)(std::span<const Expr>);

class EveryHint : public testing::TestWithParam<std::pair<const char*, Hints>> {};

INSTANTIATE_TEST_SUITE_P(All, EveryHint,
                         testing::Values(std::pair("Euclid", &euclid_hints),
                                         std::pair("Quotient", &quotient_hints),
                                         std::pair("Product", &product_hints),
                                         std::pair("Xor", &xor_hints)),
                         [](const auto& info) { return info.param.first; });

// Z3 takes hints for true, so a wrong one would prove anything.
TEST_P(EveryHint, HoldsWhereverItIsDefined) {
  const Hints hints_of = GetParam().second;
  ExprPool pool;
  RandomExpr random(pool, 7);
  random.ends = false;
  const std::vector<Expr> symbols = {pool.symbol("i"), pool.symbol("j"), pool.symbol("N")};
  int evaluated = 0;
  for (int k = count(300, 6'000); k > 0; --k) {
    const std::vector<Expr> claims = {random.truth(4), random.truth(2)};
    const std::vector<Expr> hints = hints_of(claims);
    for (Expr hint : hints) {
      Tape tape(std::span(&hint, 1), symbols);
      for (int point = 0; point < 40; ++point) {
        const std::int64_t values[] = {random.number(), random.number(), random.number()};
        if (!tape.evaluate(values)) continue;
        ++evaluated;
        ASSERT_EQ(tape.root(0), 1) << to_string(hint) << "\nat " << testing::PrintToString(values);
      }
    }
  }
  EXPECT_GT(evaluated, 1'000);
}

TEST(Hints, EuclidOfEveryDivision) {
  ExprPool pool;
  const Expr e = parse_expr(pool, "x / n + x % n < y % 4");
  std::string text;
  for (Expr hint : euclid_hints(std::span(&e, 1))) text += to_string(hint) + "\n";
  EXPECT_EQ(text,
            "!(n != 0) || x == n * (x / n) + x % n && 0 <= x % n\n"
            "!(0 < n) || x % n < n\n"
            "y == 4 * (y / 4) + y % 4 && 0 <= y % 4\n"
            "y % 4 < 4\n");
}

TEST(Hints, DivisorsThatAreNoNumbersDifferFrom0) {
  ExprPool pool;
  const Expr e = parse_expr(pool, "x / (n - 1) % n == y / 3");
  std::string text;
  for (Expr hint : defined(std::span(&e, 1))) text += to_string(hint) + "\n";
  EXPECT_EQ(text, "(n - 1 != 0)\n(n != 0)\n");
}

}  // namespace
}  // namespace selvage
