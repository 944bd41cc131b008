#include <tests/simplifier/scope.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

TEST(Conjunction, IsASet) {
  Scope s;
  s.loop("i", "100").loop("j", "100");
  EXPECT_EQ(s.simplify("i < 5 && j < 7 && i < 5"), "i < 5 && j < 7");
  EXPECT_EQ(s.simplify("i < 200 && (j < 7 && 0 <= i)"), "j < 7");
  EXPECT_EQ(s.simplify("i < 5 && (j < 7 && i < 0)"), "false");
}

TEST(Conjunction, DropsWhatTheOthersImplyTheDearestFirst) {
  Scope s;
  s.loop("i", "100").loop("j", "8");
  EXPECT_EQ(s.simplify("i * 8 + j < 40 && i < 5"), "i < 5");
  EXPECT_EQ(s.simplify("i < 5 && i * 8 + j < 40"), "i < 5");
  // 5*i <= 38 and i is an integer.
  EXPECT_EQ(s.simplify("i * 5 + j < 39 && i < 8"), "i * 5 + j < 39");
  // With (8*i + j) / 40 <= 6 no i reaches 35.
  EXPECT_EQ(s.simplify("(i * 8 + j) / 40 + j * 7 < 7 && i < 36"), "j * 35 + i < 35");
}

TEST(Conjunction, ImpliesThroughSymbols) {
  Scope s;
  s.bound("N", 1, 4096).bound("M", 1, 4096).loop("i", "4 * N").loop("j", "32 * M");
  s.loop("k", "6 * M");
  EXPECT_EQ(s.simplify("i * 12 + j < N && i < (N + 23) / 24 * 2"), "i * 12 + j < N");
  EXPECT_EQ(s.simplify("M * i * 32 + j < N * M && i * 32 < N"), "M * i * 32 + j < M * N");
  EXPECT_EQ(s.simplify("k / M * 48 + i < 190 && k < M * 4"), "k / M * 48 + i < 190");
  EXPECT_EQ(s.simplify("i / 6 * 4 + i % 6 < N && i < (N + 3) / 4 * 6"), "i - i / 6 * 2 < N");
}

TEST(Conjunction, IsSimplifiedUnderItself) {
  Scope s;
  s.loop("i", "16").loop("j", "27");
  EXPECT_EQ(s.simplify("i < 5 && i / 5 * 3 + j < 20"), "i < 5 && j < 20");
  EXPECT_EQ(s.simplify("i % 2 < 1 && j + i % 2 < 20"), "i % 2 < 1 && j < 20");
}

// Both sides of a conjunction have values, so neither may lose what keeps its divisor from 0.
TEST(Conjunction, MakesNoDivisorThatMayBeZero) {
  Scope s;
  s.bound("i", 0, 9).bound("j", 0, 9);
  EXPECT_EQ(s.simplify("j <= i && 3 % max(i, j + 1) < 2"), "j <= i && 3 % max(i, j + 1) < 2");
}

TEST(Conjunction, OfManyIsDoneOnce) {
  Scope s;
  std::string all;
  for (int k = 0; k < 200; ++k) {
    s.loop("i" + std::to_string(k), "10");
    all += (k == 0 ? "i" : " && i") + std::to_string(k) + " < " + std::to_string(1 + k % 12);
  }
  const std::string simple = s.simplify(all);
  EXPECT_EQ(simple.find("i9 <"), std::string::npos);  // i9 < 10 always
  EXPECT_NE(simple.find("i0 < 1"), std::string::npos);
}

TEST(Conjunction, TwoStepsAreOneSlope) {
  Scope s;
  s.loop("i", "2").loop("j", "100").loop("k", "50").bound("N", 1, 4096);
  // j < 32, and j < 21 where i is 1.
  EXPECT_EQ(s.simplify("i * 32 + j < 53 && j < 32"), "i * 11 + j < 32");
  EXPECT_EQ(s.simplify("k % 2 * 3 + j < 5 && j < 3"), "j + k % 2 < 3");
  // For k = 2 neither leaves a j.
  EXPECT_EQ(s.simplify("k * 32 + j < 53 && j < 32"), "k * 32 + j < 53 && j < 32");
  EXPECT_EQ(s.simplify("k * 32 + j < 57 && j < 32"), "k * 32 + j < 57 && j < 32");
  EXPECT_EQ(s.simplify("k * 32 + j < 33 && j < 32"), "k * 31 + j < 32");
  // The lower one comes first only up to some i.
  EXPECT_EQ(s.simplify("i * 8 + j < N + 5 && j < N"), "i * 3 + j < N");
  EXPECT_EQ(s.simplify("i * 8 + j < N + 9 && j < N"), "j < N");
}

// What is remembered of one part may be forgotten while another is looked at.
TEST(Conjunction, DigitsBySymbolsUnderOneAnotherKeepTheirValues) {
  Scope s;
  s.bound("N", 1, 4).loop("i", "4");
  s.assume("N * (i / (N * 3)) * 6 + i / 3 % N * 3 < N");
  const std::string sum = "N * (i / (N * 3)) * 6 + i % (N * 3)";
  EXPECT_EQ(s.simplify(sum), sum);
}

}  // namespace
}  // namespace selvage
