#include <tests/simplifier/scope.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

TEST(Simplify, AnIndexBelowASymbolicDivisorIsItsOwnRemainder) {
  Scope s;
  s.bound("N", 1, 128).loop("i", "N");
  EXPECT_EQ(s.simplify("i % N"), "i");
  EXPECT_EQ(s.simplify("i / N"), "0");
}

TEST(Simplify, AMergedIndexIsTakenApartBySymbolicDivision) {
  Scope s;
  s.bound("N", 1, 128).bound("M", 1, 128).loop("i", "N").loop("j", "M");
  EXPECT_EQ(s.simplify("(j * N + i) % N"), "i");
  EXPECT_EQ(s.simplify("(j * N + i) / N"), "j");
}

TEST(Simplify, QuotientAndRemainderTogetherAreTheIndex) {
  Scope s;
  s.bound("N", 1, 128).bound("M", 1, 128).loop("i", "N * M");
  EXPECT_EQ(s.simplify("i / N * N + i % N"), "i");
  EXPECT_EQ(s.simplify("i % N < N"), "true");
  EXPECT_EQ(s.simplify("i / N < M"), "true");
}

TEST(Simplify, NestedDivisionsAreOneAndVanishWhereTheIndexIsSmall) {
  Scope s;
  s.bound("N", 1, 4096).loop("i", "4 * N");
  EXPECT_EQ(s.simplify("i / N / 4"), "0");
  EXPECT_EQ(s.simplify("i / N / 3"), "i / (N * 3)");
  EXPECT_EQ(s.simplify("i / N < 4"), "true");
}

TEST(Simplify, SymbolicMixedRadixRecomposes) {
  Scope s;
  s.bound("N", 1, 128);
  EXPECT_EQ(s.simplify("x / N / 4 * (4 * N) + x / N % 4 * N + x % N"), "x");
  EXPECT_EQ(s.simplify("x / N % 4 * N + x % N"), "x % (N * 4)");
}

TEST(Simplify, ARemainderOfARemainderNeedsDivisibility) {
  Scope s;
  s.bound("N", 1, 128).loop("i", "24");
  EXPECT_EQ(s.simplify("i % 12 % 4"), "i % 4");
  EXPECT_EQ(s.simplify("i % 3 % 4"), "i % 3");
  EXPECT_EQ(s.simplify("i % 2 % 3"), "i % 2");
  EXPECT_EQ(s.simplify("i % 7 % 4"), "i % 7 % 4");
  EXPECT_EQ(s.simplify("x % (7 * N) % N"), "x % N");
  EXPECT_EQ(s.simplify("x % N % 7"), "x % N % 7");
}

TEST(Simplify, AConstantRangeFoldsAnExtent) {
  Scope s;
  s.bound("N", 1, 128);
  EXPECT_EQ(s.simplify("(N + 255) / 256"), "1");
  EXPECT_EQ(s.simplify("((N + 31) / 32 + 5) / 6"), "1");
}

TEST(Simplify, TheTilesOfAPaddedExtentStayInIt) {
  Scope s;
  s.bound("N", 1, 4096).loop("i", "(N + 7) / 8").loop("j", "8");
  EXPECT_EQ(s.simplify("8 * i + j < (N + 7) / 8 * 8"), "true");
}

TEST(Simplify, DigitsOfAKnownSplitRecompose) {
  Scope s;
  s.loop("i", "960");
  EXPECT_EQ(s.simplify("i / 3 * 3 + i % 3"), "i");
  EXPECT_EQ(s.simplify("i / 96 * 96 + i / 8 % 12 * 8 + i % 8"), "i");
  EXPECT_EQ(s.simplify("i / 960"), "0");
  EXPECT_EQ(s.simplify("i / 10 % 96"), "i / 10");
  EXPECT_EQ(s.simplify("i - i / 7 * 7"), "i % 7");
}

// Digits above one another, which look like digits of two numbers.
TEST(Simplify, DigitsOfAShiftedIndexRecompose) {
  Scope s;
  s.positive("i");
  EXPECT_EQ(s.simplify("(i / 3 + 1) % 4 + (i + 3) / 12 % 5 * 4"), "(i / 3 + 1) % 20");
  EXPECT_EQ(s.simplify("(i / 12 + 3) % 4 * 3 + (i + 36) / 48 % 3 * 12"), "(i / 12 + 3) % 12 * 3");
}

TEST(Simplify, FactorsCancel) {
  Scope s;
  s.loop("o", "20").loop("i", "4").positive("N");
  EXPECT_EQ(s.simplify("(o * 4 + i) / 8"), "o / 2");
  EXPECT_EQ(s.simplify("(o * 4 + i) % 8"), "o % 2 * 4 + i");
  EXPECT_EQ(s.simplify("(o * N * 6 + N * 3) / (N * 3)"), "o * 2 + 1");
  EXPECT_EQ(s.simplify("(o * 4 + i) / 4 * 4 + (o * 4 + i) % 4"), "o * 4 + i");
}

TEST(Simplify, NegativeOperandsDivideAsEuclidDoes) {
  Scope s;
  s.bound("i", -8, -1);
  EXPECT_EQ(s.simplify("i / 8"), "-1");
  EXPECT_EQ(s.simplify("i % 8"), "i + 8");
  EXPECT_EQ(s.simplify("-7 / 2 + -7 % 2"), "-3");
  EXPECT_EQ(s.simplify("7 / -2"), "-3");
  EXPECT_EQ(s.simplify("i / 0"), "i / 0");
}

TEST(Simplify, ComparisonsAreFreedOfFactorsAndDivisions) {
  Scope s;
  s.loop("o", "20").loop("i", "8").bound("N", 1, 4096);
  EXPECT_EQ(s.simplify("o * 8 + i < 80"), "o < 10");
  EXPECT_EQ(s.simplify("o * 8 + i < N * 8"), "o < N");
  EXPECT_EQ(s.simplify("x / 4 < N"), "x < N * 4");
  EXPECT_EQ(s.simplify("3 <= x / N"), "N * 3 <= x");
  EXPECT_EQ(s.simplify("o < 20 && i < 8 || N < o"), "true");
  EXPECT_EQ(s.simplify("!(o < N)"), "N <= o");
  EXPECT_EQ(s.simplify("o * 2 == i * 2 + 1"), "false");
}

TEST(Simplify, ChoicesThatTheFactsDecideVanish) {
  Scope s;
  s.loop("i", "8").bound("N", 8, 4096);
  EXPECT_EQ(s.simplify("min(i, N)"), "i");
  EXPECT_EQ(s.simplify("max(i, N) - N"), "0");
  EXPECT_EQ(s.simplify("select(i < N, i, t[i])"), "i");
  EXPECT_EQ(s.simplify("select(N < 9, i + i, 2 * i)"), "i + i");
  EXPECT_EQ(s.simplify("(i ^ (i ^ N))"), "N");
}

TEST(Simplify, LoadsAreOpaqueButTheirSubscriptsAreNot) {
  Scope s;
  s.loop("i", "8");
  EXPECT_EQ(s.simplify("t[i / 8 + i % 8] - t[i] + f(i - i)"), "f(0)");
  EXPECT_EQ(s.simplify("t[i] < 5"), "t[i] < 5");
}

TEST(Simplify, ALetIsAnAtomWithItsDefinitionsRange) {
  Scope s;
  s.loop("i", "8").loop("j", "4");
  const Expr t = s.pool.let(s.parse("i * 4 + j"));
  Simplifier simplifier(s.facts);
  EXPECT_TRUE(same(simplifier.simplify(t % 32), t));
  EXPECT_TRUE(same(simplifier.simplify(t / 32), s.pool.constant(0)));
  EXPECT_TRUE(simplifier.simplify(t < 32).is_true());
}

TEST(Simplify, LongChainsOfLetsNeedNoStack) {
  Scope s;
  s.loop("i", "8");
  Expr e = s.pool.symbol("i");
  for (int k = 0; k < 20000; ++k) e = s.pool.let(e + 1);
  Simplifier simplifier(s.facts);
  EXPECT_EQ(simplifier.interval(e).hi, 20007);
  EXPECT_TRUE(simplifier.simplify(e < 20008).is_true());
}

TEST(Simplify, WhatWouldOverflowIsLeftAsItIs) {
  Scope s;
  const char* sum = "9223372036854775807 + 1";
  EXPECT_EQ(s.simplify(sum), sum);
  EXPECT_EQ(s.simplify("i * 9223372036854775807 * 2 + j < 3"),
            "i * 9223372036854775807 * 2 + j < 3");
  EXPECT_EQ(s.simplify("-9223372036854775808 - 1 < 0"), "true");
  EXPECT_EQ(s.simplify("i == -9223372036854775808"), "i == -9223372036854775808");
  EXPECT_EQ(s.simplify("-9223372036854775808 == i * -9223372036854775808"),
            "-9223372036854775808 == i * -9223372036854775808");
  EXPECT_EQ(s.simplify("i <= -9223372036854775808"), "i <= -9223372036854775808");
}

// Multiplied out they would overflow; how their factors are grouped is settled once.
TEST(Simplify, ProductsThatAreKeptAreSimpleToo) {
  Scope s;
  s.bound("N", 1, 10).loop("i", "N");
  for (const char* text :
       {"(4611686018427387904 - i) * 2 * N", "i * -9 * 1024819115206086201 * i",
        "(4611686018427387904 - i) * 2 * N / 2", "(i - 3) * 4611686018427387903 * i % 2 == i",
        "(N - 10) * 960383884 * 960383884 < 0", "i + (i / 6 * 6 + i % 6) * 1537228672809129302",
        "i % 8 * 7 + i / 8 % 3 - 9223372036854775807"}) {
    const std::string once = s.simplify(text);
    EXPECT_EQ(s.simplify(once), once) << text;
  }
}

TEST(Simplify, ManyNumbersRecomposeFromTheirDigits) {
  Scope s;
  s.bound("N", 1, 64).bound("M", 1, 64);
  std::string digits, numbers;
  for (int k = 0; k < 15; ++k) {
    const std::string i = "i" + std::to_string(k), plus = k == 0 ? "" : " + ";
    s.loop(i, "4096");
    digits += plus + i + " / (N * M) * (N * M) + " + i + " % M + " + i + " / M % N * M";
    numbers += plus + i;
  }
  EXPECT_EQ(s.simplify(digits), numbers);
}

TEST(Simplify, TheResultOfASimplificationIsSimple) {
  Scope s;
  s.loop("i", "12").loop("j", "5").bound("N", 1, 64);
  for (const char* text : {"(i * 5 + j) / 7 * 7 + (i * 5 + j) % 7", "(i * N + j) / 4 % 3",
                           "(i * 5 + j) / 10 * 10 + (i * 5 + j) % 5"}) {
    const std::string once = s.simplify(text);
    EXPECT_EQ(s.simplify(once), once);
  }
}

}  // namespace
}  // namespace selvage
