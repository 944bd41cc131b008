// What the addresses of a kernel have in common is computed once, and where it costs least.
#include <gtest/gtest.h>

#include "tests/codegen/emission_case.h"

namespace selvage {
namespace {

using SharingCase = test::EmissionCase;
constexpr auto kBlock = ParallelType::BIDx;
constexpr auto kThread = ParallelType::TIDx;

TEST(SharedDivisions, AQuotientAndItsRemainderAreOneDivision) {
  EXPECT_EQ(SharingCase().loop("i", "60", kBlock).text({"i / 12", "i % 12"}),
            "  const int t0 = i / 12;\n"
            "  y[t0] = a[i - t0 * 12];\n");
}

TEST(SharedDivisions, AlsoWhereTheRemainderAloneIsSimpler) {
  EXPECT_EQ(SharingCase()
                .loop("i", "9", kBlock)
                .loop("t", "32", kThread)
                .text({"(i * 32 + t) / 12", "(i * 8 + t) % 12"}),
            "  const int t0 = i * 32 + t;\n"
            "  const int t1 = t0 / 12;\n"
            "  y[t1] = a[t0 - t1 * 12];\n");
}

TEST(SharedDivisions, QuotientsThatDifferByAMultipleAreOneDivision) {
  EXPECT_EQ(SharingCase()
                .loop("i", "9", kBlock)
                .loop("t", "32", kThread)
                .text({"(i * 36 + t) / 12", "(i * 36 + t) % 12", "t / 12"}),
            "  const int t0 = t / 12;\n"
            "  y[t0 + i * 3] = a[t - t0 * 12] + a[t0];\n");
}

TEST(SharedDivisions, ASmallerQuotientIsTheLargerOneLessAMultiple) {
  EXPECT_EQ(SharingCase()
                .size("N")
                .loop("o", "N", kBlock)
                .loop("t", "11", kThread)
                .text({"o * 11 + t", "(o * 11 + t) / 3", "(o * 2 + t) / 3"}),
            "  const int t0 = o * 11 + t;\n"
            "  const int t1 = t0 / 3;\n"
            "  y[t0] = a[t1] + a[t1 - o * 3];\n");
}

TEST(SharedDivisions, RemaindersWithinADividendDoNotHideWhatIsCongruent) {
  EXPECT_EQ(SharingCase()
                .loop("q", "420", kBlock)
                .loop("t", "3", kThread)
                .text({"q / 7", "(q * 3 + t) % 7", "(q % 7 * 3 + t) / 7"}),
            "  const int t0 = q / 7;\n"
            "  const int t1 = (q - t0 * 7) * 3 + t;\n"
            "  const int t2 = t1 / 7;\n"
            "  y[t0] = a[t1 - t2 * 7] + a[t2];\n");
}

// Two away is too far where N is 1.
TEST(SharedDivisions, NeighboursOfADigitTakeNoFurtherDivision) {
  EXPECT_EQ(
      SharingCase()
          .size("M")
          .size("N")
          .loop("i", "M * N", kBlock)
          .text({"i / N", "(i - 1) % N", "(i + 1) % N", "(i + 2) % N"}),
      "  const int t0 = i / (unsigned)N;\n"
      "  const int t1 = i - t0 * N;\n"
      "  y[t0] = a[mod_below(t1 - 1, N)] + a[mod_above(t1 + 1, N)] + a[(i + 2) % (unsigned)N];\n");
}

// One that goes round is no part of the sum that it stands in.
TEST(SharedDivisions, ANeighbourThatGoesRoundStaysInItsRow) {
  EXPECT_EQ(SharingCase()
                .loop("t", "247", kBlock)
                .loop("v", "4", kThread)
                .text({"t * 4 + v", "(t * 4 + v) / 38 * 38 + (t * 4 + v + 37) % 38"}),
            "  const int t0 = t * 4 + v;\n"
            "  const int t1 = t0 / 38 * 38;\n"
            "  y[t0] = a[t1 + mod_above(t0 - t1 + 37, 38)];\n");
}

TEST(SharedDivisions, ByASymbolTakesTheDividendApartByItsTerms) {
  EXPECT_EQ(SharingCase()
                .size("N")
                .loop("q", "N * 7", kBlock)
                .text({"q / N", "q % N", "(q + N * 2) / N"}),
            "  const int t0 = q / (unsigned)N;\n"
            "  y[t0] = a[q - t0 * N] + a[t0 + 2];\n");
}

TEST(SharedDivisions, DigitsOfAMergedIndexTakeOneDivisionEach) {
  EXPECT_EQ(SharingCase().loop("q", "420", kBlock).text({"q", "q / 105", "q / 7 % 15", "q % 7"}),
            "  const int t0 = q / 105;\n"
            "  const int t1 = q / 7;\n"
            "  y[q] = a[t0] + a[t1 - t0 * 15] + a[q - t1 * 7];\n");
}

TEST(SharedDivisions, ARemainderFollowsFromItsDigits) {
  EXPECT_EQ(SharingCase().loop("q", "420", kBlock).text({"q % 105", "q / 7 % 15", "q / 7"}),
            "  const int t0 = q / 7;\n"
            "  const int t1 = t0 % 15;\n"
            "  y[q - (t0 - t1) * 7] = a[t1] + a[t0];\n");
}

TEST(SharedDivisions, APowerOfTwoIsLeftToShiftsAndMasks) {
  EXPECT_EQ(SharingCase().loop("i", "64", kBlock).text({"i / 16", "i % 16"}),
            "  y[i >> 4] = a[i & 15];\n");
}

TEST(SharedDivisions, RemaindersThatCancelAreWrittenOut) {
  EXPECT_EQ(
      SharingCase().loop("q", "420", kBlock).text({"q / 10", "q / 60", "q % 60 - q % 10 + 9"}),
      "  const int t0 = q / 10;\n"
      "  const int t1 = q / 60;\n"
      "  y[t0] = a[t1] + a[t0 * 10 - t1 * 60 + 9];\n");
}

TEST(SharedSums, RowsAndColumnsAreNamedOnce) {
  EXPECT_EQ(SharingCase()
                .loop("no", "9", ParallelType::BIDy)
                .loop("mo", "5", kBlock)
                .loop("ni", "8", ParallelType::TIDy)
                .loop("mi", "32", kThread)
                .guard("no * 8 + ni < 67 && mo * 32 + mi < 130")
                .text({"no * 1040 + ni * 130 + mo * 32 + mi", "mo * 2144 + mi * 67 + no * 8 + ni"}),
            "  const int t0 = no * 8 + ni;\n"
            "  const int t1 = mo * 32 + mi;\n"
            "  if (t0 < 67 && t1 < 130) {\n"
            "    y[t0 * 130 + t1] = a[t1 * 67 + t0];\n"
            "  }\n");
}

TEST(SharedSums, AConstantIsAddedLast) {
  EXPECT_EQ(SharingCase()
                .loop("i", "9", kBlock)
                .loop("t", "32", kThread)
                .text({"i * 32 + t", "i * 32 + t + 5"}),
            "  const int t0 = i * 32 + t;\n"
            "  y[t0] = a[t0 + 5];\n");
}

TEST(SharedSums, AFactorIsMultipliedOnce) {
  EXPECT_EQ(SharingCase()
                .size("M")
                .size("N")
                .loop("b", "7", ParallelType::BIDy)
                .loop("m", "M", kBlock)
                .loop("n", "N", kThread)
                .text({"M * N * b + N * m + n", "n"}),
            "  y[N * (M * b + m) + n] = a[n];\n");
}

TEST(SharedSums, WhatAnInnerLoopDoesNotChangeStandsBeforeIt) {
  EXPECT_EQ(SharingCase().size("M").size("N").loop("b", "7").loop("i", "N").loop("j", "M").text(
                {"M * N * b + M * i + j", "j"}),
            "  for (int b = 0; b < 7; ++b) {\n"
            "    const int t0 = N * b;\n"
            "    for (int i = 0; i < N; ++i) {\n"
            "      const int t1 = M * (t0 + i);\n"
            "      for (int j = 0; j < M; ++j) {\n"
            "        y[t1 + j] = a[j];\n"
            "      }\n"
            "    }\n"
            "  }\n");
}

TEST(SharedSums, ABlockIndexIsKnownOutsideOfEveryLoop) {
  EXPECT_EQ(
      SharingCase().size("N").loop("k", "5").loop("b", "N", kBlock).text({"N * b + k", "b / 3"}),
      "  const int t0 = N * b;\n"
      "  const int t1 = b / 3;\n"
      "  for (int k = 0; k < 5; ++k) {\n"
      "    y[t0 + k] = a[t1];\n"
      "  }\n");
}

// Computed in another order, 2^31 would be reached on the way.
TEST(SharedSums, NoOrderOfTermsLeavesTheType) {
  EXPECT_EQ(SharingCase()
                .loop("x", "63", kBlock)
                .loop("c", "64", kThread)
                .text({"(x - 31) * 67108864 + c", "x - 31"}),
            "  y[(x - 31) * 67108864 + c] = a[x - 31];\n");
}

// Ids of expressions depend on what the pool has met before; the text does not.
TEST(SharedSums, TheTextDoesNotDependOnWhatWasMadeBefore) {
  const std::vector<std::string> addresses = {"(i * 32 + t) / 12",
                                              "(i * 8 + t) % 12",
                                              "i * 64 + t * 2",
                                              "i * 32 + t + 5",
                                              "N * i + N * 3 + t",
                                              "t / N",
                                              "t % N"};
  const auto text = [&](const std::vector<std::string>& before) {
    SharingCase c;
    for (const std::string& e : before) c.meet(e);
    return c.size("N").loop("i", "9", kBlock).loop("t", "32", kThread).text(addresses);
  };
  const std::string fresh = text({});
  EXPECT_EQ(text({addresses.rbegin(), addresses.rend()}), fresh);
  EXPECT_EQ(text({"t * 2", "N * 3", "t - t / 12 * 12", "N", "i + 3", "i * 32", "t / N * N"}),
            fresh);
}

}  // namespace
}  // namespace selvage
