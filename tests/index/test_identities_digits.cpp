// Laws A, B and C: what bounds on a number say about its two digits, x = o*n + i, and back.
#include <gtest/gtest.h>

#include "tests/index/claims.h"
#include "tests/oracle/brute_force.h"
#include "tests/support/steps.h"

namespace selvage {
namespace {

constexpr Direction kBothWays[] = {Direction::Forward, Direction::Backward};
bool is_digits(const World& w) { return w.over == Law::Over::Split || w.over == Law::Over::Merge; }
bool is_divisible(const World& w) { return w.extent('o') * w.extent('i') == w.extent('x'); }

TEST(LawA, ANumberAndItsLastDigitInBoundsBoundTheLeadingDigit) {
  for (Direction direction : kBothWays) {
    for (const World& w : digit_worlds(direction)) {
      if (w.extent('o') * w.extent('i') < w.extent('x')) continue;
      EXPECT_EQ(counterexample(w, "ok x, ok i", "ok o"), "");
      EXPECT_EQ(counterexample(w, "hi x, lo i", "hi o"), "");
      EXPECT_EQ(counterexample(w, "lo x, hi i", "lo o"), "");
    }
  }
}

TEST(LawA, ItsUpperHalfHoldsIfAndOnlyIfTheDigitsReachEveryNumber) {
  for (Direction direction : kBothWays) {
    for (const World& w : digit_worlds(direction)) {
      const bool enough = w.extent('o') * w.extent('i') >= w.extent('x');
      EXPECT_EQ(counterexample(w, "hi x, lo i", "hi o").empty(), enough) << w.text();
      EXPECT_EQ(counterexample(w, "ok x, ok i", "ok o").empty(), enough) << w.text();
      EXPECT_EQ(counterexample(w, "lo x, hi i", "lo o"), "");
    }
  }
}

TEST(LawA, HoldsForEverySplitAndEveryMerge) {
  for (const World& w : small_worlds()) {
    if (!is_digits(w)) continue;
    EXPECT_EQ(counterexample(w, "ok x, ok i", "ok o"), "");
  }
}

TEST(LawA, NeedsTheOtherHalfOfTheLastDigit) {
  for (const World& w : small_worlds()) {
    if (!is_digits(w) || w.computes_digits() || !is_divisible(w)) continue;
    EXPECT_NE(counterexample(w, "hi x, hi i", "hi o"), "") << w.text();
    EXPECT_NE(counterexample(w, "lo x, lo i", "lo o"), "") << w.text();
    EXPECT_NE(counterexample(w, "ok x", "ok o"), "") << w.text();
  }
}

TEST(LawB, DigitsInBoundsBoundTheNumberIfAndOnlyIfTheyReachNothingElse) {
  for (Direction direction : kBothWays) {
    for (const World& w : digit_worlds(direction)) {
      const bool within = w.extent('o') * w.extent('i') <= w.extent('x');
      EXPECT_EQ(counterexample(w, "hi o, hi i", "hi x").empty(), within) << w.text();
      EXPECT_EQ(counterexample(w, "ok o, ok i", "ok x").empty(), within) << w.text();
      EXPECT_EQ(counterexample(w, "lo o, lo i", "lo x"), "");
    }
  }
}

TEST(LawB, HoldsForEveryMergeAndForASplitIfAndOnlyIfItIsDivisible) {
  for (const World& w : small_worlds()) {
    if (!is_digits(w)) continue;
    const bool holds = counterexample(w, "ok o, ok i", "ok x").empty();
    EXPECT_EQ(holds, w.over == Law::Over::Merge || is_divisible(w)) << w.text();
  }
}

TEST(LawC, DigitsThatAreComputedHaveTheirLastOneInBounds) {
  for (const World& w : small_worlds()) {
    if (!is_digits(w)) continue;
    EXPECT_EQ(counterexample(w, "", "ok i").empty(), w.computes_digits()) << w.text();
  }
}

TEST(LawC, ALeadingDigitThatIsComputedIsInBoundsWhereTheNumberIs) {
  for (const World& w : small_worlds()) {
    if (!is_digits(w) || !w.computes_digits()) continue;
    EXPECT_EQ(counterexample(w, "lo x", "lo o"), "");
    EXPECT_EQ(counterexample(w, "hi x", "hi o"), "");
    EXPECT_EQ(counterexample(w, "lo o", "lo x"), "");
    // And back, where no tile hangs over: always for a merge (theorem 2).
    EXPECT_EQ(counterexample(w, "hi o", "hi x").empty(), is_divisible(w)) << w.text();
    EXPECT_TRUE(w.over == Law::Over::Split || is_divisible(w));
  }
}

// Where the number is computed from its digits, a leading digit in bounds says nothing of it.
TEST(LawC, SaysNothingWhereTheNumberIsComputed) {
  for (const World& w : small_worlds()) {
    if (!is_digits(w) || w.computes_digits()) continue;
    EXPECT_NE(counterexample(w, "ok o", "ok x"), "") << w.text();
    EXPECT_NE(counterexample(w, "ok x", "ok o"), "") << w.text();
  }
  oracle::Graph one_by_five = oracle::make_graph({1, 5});
  oracle::apply(one_by_five, oracle::merge(0, 1));
  one_by_five.loop = {0, 1};
  const std::int64_t point[] = {0, 5};
  EXPECT_EQ(oracle::coordinates(one_by_five, point)[2], 5);  // of an extent of 5
}

}  // namespace
}  // namespace selvage
