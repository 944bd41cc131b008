#include <tests/simplifier/scope.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

TEST(Writing, DrawsOutWhatTermsShare) {
  Scope s;
  s.positive("N").positive("M");
  EXPECT_EQ(s.simplify("i * 3 + j * 3"), "(i + j) * 3");
  EXPECT_EQ(s.simplify("i * M * N + j * N + k"), "(M * i + j) * N + k");
  EXPECT_EQ(s.simplify("i * N - j * N"), "(i - j) * N");
}

TEST(Writing, JoinsDigitsWhereThatIsCheaper) {
  Scope s;
  s.loop("i", "1000");
  EXPECT_EQ(s.simplify("i % 13 * 12 + i / 13"), "i * 12 - i / 13 * 155");
  EXPECT_EQ(s.simplify("i * 12 - i / 13 * 155"), "i * 12 - i / 13 * 155");
  EXPECT_EQ(s.simplify("(i % 13 * 12 + i / 13) / 4"), "i % 13 * 3 + i / 52");
}

TEST(Writing, PutsMultiplesBackIntoADivision) {
  Scope s;
  s.loop("i", "100").loop("j", "10");
  EXPECT_EQ(s.simplify("(i * 7 + j) / 5"), "(i * 7 + j) / 5");
  EXPECT_EQ(s.simplify("i + (i * 2 + j) / 5"), "(i * 7 + j) / 5");
}

TEST(Writing, NeverWidens) {
  Scope s;
  s.loop("x", "64").loop("c", "1000").loop("i", "100000");
  EXPECT_EQ(s.simplify("c + 67108864 * (x - 32)"), "(x - 32) * 67108864 + c");
  // Put back into the division i would be multiplied by 100001.
  EXPECT_EQ(s.simplify("i * 100000 + (i + c) / 7"), s.simplify("(i + c) / 7 + i * 100000"));
  s.loop("j", "20000");
  EXPECT_EQ(s.simplify("j * 100000 + (j + c) / 7"), "j * 100000 + (c + j) / 7");
}

TEST(Writing, WhatIsWrittenIsWrittenSoAgain) {
  Scope s;
  s.loop("i", "5184").loop("j", "12").bound("N", 1, 300);
  for (const char* text :
       {"i % 13 * 12 + i / 13", "(i % 12 * 8 + i / 12) % 9", "(i * 12 + j) / 14 % 4",
        "i / 72 % 5 * 5 + i / 9 % 8", "(i % 24 * N + j) / (N * 4) + i / 24",
        "(i * 16 + j) % 80 / 5 / 2 % 4", "(i % 2 * 48 + i / 96) / 32 * 32 + i / 3"}) {
    const std::string once = s.simplify(text);
    EXPECT_EQ(s.simplify(once), once) << text;
  }
}

}  // namespace
}  // namespace selvage
