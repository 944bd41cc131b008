// What stands in the answer, part by part: what cannot be rewritten stays alone, nothing gets
// dearer.
#include <selvage/expr/cost.h>
#include <tests/expr/random_expr.h>
#include <tests/simplifier/scope.h>
#include <tests/support/counts.h>

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace selvage {
namespace {

std::int64_t cost_of_text(Scope& s, std::string_view text) { return cost_of(s.parse(text)).total; }

TEST(Texts, AConjunctThatNeedsAWiderIntegerStaysAlone) {
  Scope s;
  s.loop("x", "160032").loop("y", "100");
  const std::string wide =
      "(x % 32 * 5001 + x / 32) / 4 + (x % 32 * 5001 + x / 32) % 4 * 100000 < 20000";
  const std::string all = s.simplify(wide + " && (y + 0) * 1 < 70 && (y * 4 + 3) / 4 < 150");
  EXPECT_EQ(all, s.simplify(wide) + " && y < 70");
}

TEST(Texts, ADivisionKeepsWhatWasFoundForItsDividend) {
  Scope s;
  s.bound("Q", 1, 32).loop("x", "Q * 1024");
  const std::string dividend = "x % (32 * Q) % Q * 128 + x / (32 * Q) * 32 + x % (32 * Q) / Q";
  const std::string inner = s.simplify(dividend);
  EXPECT_LE(cost_of_text(s, s.simplify("(" + dividend + ") / 7")), cost_of_text(s, inner) + 10);
  s.loop("i0", "Q").loop("i1", "2").loop("i2", "16").loop("i3", "32");
  const std::string i = "(((i0 * 2 + i1) * 16 + i2) * 32 + i3)";
  const std::string digits =
      i + " % (32 * Q) % Q * 128 + " + i + " / (32 * Q) * 32 + " + i + " % (32 * Q) / Q";
  const std::int64_t alone = cost_of_text(s, s.simplify(digits));
  EXPECT_LT(alone, cost_of_text(s, digits));
  EXPECT_LE(cost_of_text(s, s.simplify("(" + digits + ") / 7")), alone + 10);
}

TEST(Texts, NothingIsDearerThanItWas) {
  Scope s;
  s.loop("i0", "10").loop("i1", "10").loop("j", "100");
  EXPECT_EQ(s.simplify("!(i1 + i1 != i0)"), "i1 + i1 == i0");
  // Neither is a part, whatever the rest gains.
  EXPECT_EQ(s.simplify("i1 + i1 == i0 && (j * 4 + 3) / 4 < 5"), "i1 + i1 == i0 && j < 5");
}

TEST(Texts, AConjunctionIsASetHoweverHardItsMembersAre) {
  Scope s;
  std::string hard;
  for (int k = 0; k < 40; ++k) {
    const std::string n = std::to_string(k), last = std::to_string(k == 0 ? 39 : k - 1);
    s.loop("i" + n, std::to_string(1000 + 7 * k));
    hard += (k == 0 ? "" : " + ") + ("i" + n) + " / " + std::to_string(3 + k) + " % " +
            std::to_string(5 + k) + " * (i" + last + " % 11 + " + n + ")";
  }
  s.loop("y", "100");
  const std::string one = "(" + hard + ") / 7 < 1000";
  const std::string twice = one + " && (y + 0) * 1 < 70 && " + one + " && 0 <= y && y < 70";
  const std::string simple = s.simplify(twice);
  EXPECT_EQ(simple.find("0 <= y"), std::string::npos) << simple;
  EXPECT_NE(simple.find("y < 70"), std::string::npos) << simple;
  EXPECT_EQ(clauses_of(s.parse(simple)), 2) << simple;
}

TEST(Texts, RandomExpressionsGetNoDearer) {
  for (int k = 0; k < count(3000, 100000); ++k) {
    Scope s;
    s.loop("i", "12").loop("j", "100").bound("N", 1, 40);
    RandomExpr random(s.pool, std::uint64_t(k));
    random.ends = k % 4 == 0;
    Simplifier simplifier(s.facts);
    for (const Expr e : {random.integer(4), random.truth(5)}) {
      const Expr simple = simplifier.simplify(e);
      EXPECT_LE(cost_of(simple).total, cost_of(e).total)
          << to_string(e) << "\n-> " << to_string(simple);
    }
  }
}

// A text that the question had does not count as the last word on itself.
TEST(Texts, AnAnswerAskedAgainStays) {
  const auto expect_stays = [](Scope& s, std::string_view text) {
    const std::string simple = s.simplify(text);
    EXPECT_EQ(s.simplify(simple), simple) << text;
  };
  Scope s;
  s.loop("i", "N").bound("N", 1, 4);
  expect_stays(s, "(i + i) / ((N + 2) / 2) / 2 + (i + i) / ((N + 2) / 2) < i");
  const std::string chosen = "select(1 < N, i, 0 - i + (i + i) % 6)";
  const std::string large = "(1518500250 + 1518500250 + (1518500250 + 1518500250)) * 1518500250";
  expect_stays(s, chosen + " / 2 * 2 + " + chosen + " % 2 + " + large);
  expect_stays(s, "((i + N) * 2 ^ N) + " + large);
}

TEST(Texts, TheLeastNumberIsNotDividedByMinusOne) {
  Scope s;
  s.loop("i", "100").loop("j", "100");
  const std::string text = "j % 5 * (0 - 9223372036854775807 - 1) - i % 7";
  EXPECT_FALSE(s.simplify(text).empty());
}

// Whether i/2*9 + i%2*2 is i/2*5 + i*2 is not decided before the guard was asked.
TEST(Texts, DigitsAreTakenApartWhereTheGuardAsksForThem) {
  Scope s;
  s.loop("i", "100").loop("j", "9").assume("i % 2 * 2 + j < 9");
  EXPECT_EQ(s.simplify("(i / 2 * 9 + i % 2 * 2 + j) / 9"), "i / 2");
  EXPECT_EQ(s.simplify("(i / 2 * 5 + i * 2 + j) / 9"), "i / 2");
  EXPECT_EQ(s.simplify("(i / 2 * 9 + i % 2 * 2 + j) % 9 / 2"), s.simplify("i % 2 + j / 2"));
}

// A loop of two or three digits is split and merged with another and split again, under the guard
// that the merged inner part lies within its extent.
TEST(Texts, RoundTripsOfDigitsUnderTheirGuardGiveThemBack) {
  std::mt19937_64 random(7);
  const auto draw = [&](std::int64_t lo, std::int64_t hi) {
    return lo + std::int64_t(random() % std::uint64_t(hi - lo + 1));
  };
  int found = 0;
  const int all = count(400, 20'000);
  for (int n = 0; n < all; ++n) {
    Scope s;
    const std::int64_t a = draw(2, 9), k = draw(2, 9);
    // The extent of what is below: more than the last digit needs, and less than all of it.
    const std::int64_t extent = draw((a - 1) * k + 1, a * k + 3);
    const std::int64_t inner = draw(1, 2 * k);
    s.loop("i", std::to_string(a * draw(2, 40))).loop("j", std::to_string(inner));
    const std::string high = "i / " + std::to_string(a);
    const std::string low = "(i % " + std::to_string(a) + " * " + std::to_string(k) + " + j)";
    const std::string c = std::to_string(extent);
    s.assume(low + " < " + c);
    const std::string merged = "(" + high + " * " + c + " + " + low + ")";
    const std::string outer = s.simplify(merged + " / " + c);
    found += outer == s.simplify(high) && s.simplify(merged + " % " + c) == s.simplify(low);
  }
  std::printf("[FIGURE] guarded round trips of digits given back: %d of %d\n", found, all);
  EXPECT_GE(found, all * 9 / 10);
}

}  // namespace
}  // namespace selvage
