// Numbers that need more than 64 bits on the way to those that do not.
#include <selvage/simplifier/wide_sum.h>
#include <tests/simplifier/scope.h>
#include <tests/support/counts.h>

#include <gtest/gtest.h>

#include <random>

#include "tests/corpus/exact_value.h"

namespace selvage {
namespace {

TEST(WideSum, WhatFitsInTheEndIsComputed) {
  Scope s;
  s.loop("i", "100").loop("j", "7");
  EXPECT_EQ(s.simplify("3000000000 * 4000000000 / 1000000"), "12000000000000");
  EXPECT_EQ(s.simplify("3000000000 * 4000000000 % 7 + i"), "i + 5");
  EXPECT_EQ(s.simplify("i * 3000000000 * 4000000000 / 6000000000"), "i * 2000000000");
  EXPECT_EQ(s.simplify("(i * 3000000000 * 4000000000 + j) % 3000000000"), "j");
  EXPECT_EQ(s.simplify("9223372036854775807 + i + 5 - 9223372036854775807"), "i + 5");
  EXPECT_EQ(s.simplify("i * 4611686018427387904 + i * 4611686018427387904 - i * "
                       "9223372036854775807"),
            "i");
  EXPECT_EQ(s.simplify("i * 3000000000 * 4000000000 < j * 3000000000 * 8000000000"), "i < j * 2");
}

TEST(WideSum, WhatDoesNotFitInTheEndStaysAsItIs) {
  Scope s;
  s.loop("i", "100");
  EXPECT_EQ(s.simplify("i * 3000000000 * 4000000000"), "i * 3000000000 * 4000000000");
}

// Against 128-bit evaluation, with factors whose products leave 64 bits.
TEST(WideSum, RandomNumbersPast64BitsKeepTheirValues) {
  std::mt19937_64 random(3);
  const auto number = [&] {
    return std::int64_t(random() % 9 + 1) * (std::int64_t{1} << random() % 60);
  };
  for (int n = 0; n < count(2000, 50'000); ++n) {
    Scope s;
    s.loop("i", "100").loop("j", "7");
    const Expr i = s.pool.symbol("i"), j = s.pool.symbol("j"), symbols[] = {i, j};
    const Expr x = i * number() * number() + j * number() * number() + number();
    const Expr y = j * number() * number() - i * number();
    const std::int64_t d = number();
    Simplifier simplifier(s.facts);
    for (const Expr e : {x / d, x % d, x - y, (x + y) / d, x < y, x <= y}) {
      const Expr simple = simplifier.simplify(e);
      ExactValue before(e, symbols), after(simple, symbols);
      for (int k = 0; k < 8; ++k) {
        const std::int64_t point[] = {k == 0 ? 0 : std::int64_t(random() % 100),
                                      std::int64_t(random() % 7)};
        const auto want = before.at(point);
        if (!want) continue;
        EXPECT_TRUE(want == after.at(point)) << to_string(e) << "\n-> " << to_string(simple);
      }
    }
  }
}

}  // namespace
}  // namespace selvage
