// What the holes of a tile hold: by hardware, by fallback, or never what is wanted.
#include "tests/legality/tma_case.h"

namespace selvage {
namespace {

std::string number(std::int64_t n) { return std::to_string(n); }

// Box 1 would be brought once more, into the first hole.
TEST(TmaStrong, TheSecondHalfOfASplitByTwoOfOneIsAHoleThatOnlyTheFallbackFills) {
  const TmaCase k(
      "logical: {I0: 32}, transforms: [{split: {in: I0, factor: 16, out: [I1, I2]}}, {split: {in: "
      "I1, factor: 1, out: [I3, I4]}}, {split: {in: I4, factor: 2, out: [I5, I6]}}], loop: [I3, "
      "I5, "
      "I6, I2], bind: {I2: Bulk}, fill: 0");
  EXPECT_TRUE(k.is_legal()) << k.refusal();
  EXPECT_EQ(k.map(), "I0 32 by 4: 16");
  EXPECT_EQ(k.strong(), "by fallback");
  EXPECT_EQ(to_text(k.copy.hole), "I3 = 0, I5 = 0, I6 = 1, I2 = 0");
  ASSERT_EQ(k.copy.guard.size(), 1u);
  EXPECT_EQ(to_string(k.copy.guard[0]), "I6 < 1");
  // By run of 16: the first item, or what else they hold.
  const auto runs = [](const std::vector<TmaElement>& tile) {
    std::vector<std::int64_t> begins;
    for (std::size_t i = 0; i < tile.size(); ++i) {
      const std::int64_t first = tile[i / 16 * 16].holds;
      EXPECT_EQ(tile[i].holds, first == TmaElement::kZero ? first : first + std::int64_t(i % 16));
      if (i % 16 == 0) begins.push_back(first);
    }
    return begins;
  };
  constexpr std::int64_t kZero = TmaElement::kZero;
  EXPECT_EQ(runs(k.tile(false)), (std::vector<std::int64_t>{0, 16, 16, kZero}));
  EXPECT_EQ(runs(k.tile(true)), (std::vector<std::int64_t>{0, kZero, 16, kZero}));
}

// The fundamental theorem: of one dimension of size S in boxes B with element stride e, impossible
// if and only if e < B < S and e does not divide B. (A second dimension makes the bytes fit.)
TEST(TmaStrong, IsImpossibleJustWhereTheTheoremSays) {
  for (int s = 1; s <= 13; ++s) {
    for (int b = 1; b <= 13; ++b) {
      for (int e = 1; e <= 8; ++e) {
        const TmaCase k("logical: {I0: " + number(s) +
                        ", I1: 4}, transforms: [{split: {in: I0, "
                        "factor: " +
                        number(b) + ", out: [C, x]}}, {split: {in: x, factor: " + number(e) +
                        ", out: [t, r]}}], loop: [C, r, t, I1], bind: {t: Bulk, I1: Bulk}");
        ASSERT_TRUE(k.is_legal()) << k.refusal();
        const bool is_impossible = e < b && b < s && b % e != 0;
        EXPECT_EQ(k.strong() == "impossible", is_impossible) << s << " " << b << " " << e;
        const auto plain = k.tile(false), fallback = k.tile(true);
        EXPECT_TRUE(is_right(plain, false));
        EXPECT_EQ(is_right(plain, true), k.strong() == "by hardware");
        EXPECT_EQ(is_right(fallback, true), !is_impossible);
      }
    }
  }
}

// Theorem 5: where only protected iterdomains can have holes, the hardware sees all of them.
TEST(TmaStrong, IsByHardwareWhereOnlyProtectedIterdomainsHaveHoles) {
  const auto strong = [](const std::string& rest) {
    return TmaCase("logical: {I0: 50, I1: 4}, " + rest).strong();
  };
  // The outer part of a split, a merge by its outer part, a resize that grows.
  EXPECT_EQ(
      strong("transforms: [{split: {in: I0, factor: 8, out: [a, b]}}, {split: {in: a, factor: "
             "4, out: [c, d]}}], loop: [c, d, b, I1], bind: {b: Bulk, I1: Bulk}"),
      "by hardware");
  EXPECT_EQ(strong("transforms: [{split: {in: I0, factor: 8, out: [a, b]}}, {resize: {in: a, left: "
                   "0, right: 2, out: p}}], loop: [p, b, I1], bind: {b: Bulk, I1: Bulk}"),
            "by hardware");
  // The inner part of a split is not: its holes are other items.
  EXPECT_EQ(
      strong("transforms: [{split: {in: I0, factor: 8, out: [a, b]}}, {split: {in: a, factor: "
             "3, out: [c, d]}}, {split: {in: d, factor: 2, out: [e, f]}}], loop: [c, e, f, b, "
             "I1], bind: {b: Bulk, I1: Bulk}"),
      "by fallback");
  EXPECT_EQ(
      strong("transforms: [{split: {in: I0, factor: 9, out: [a, b]}}, {split: {in: b, factor: "
             "2, out: [c, d]}}], loop: [a, c, d, I1], bind: {c: Bulk, d: Bulk, I1: Bulk}"),
      "impossible");
  // Where there is no hole, nothing is asked of anybody.
  EXPECT_EQ(strong("transforms: [{split: {in: I0, factor: 10, out: [a, b]}}], loop: [a, b, I1], "
                   "bind: {b: Bulk, I1: Bulk}"),
            "by hardware");
}

// Past what is looked at one by one the answer is a proof, or a hole that is told.
TEST(TmaStrong, OfLargeTensorsIsProvedOrRefuted) {
  const auto large = [](int factor, const std::string& rest) {
    return TmaCase(
        "logical: {I0: 1000003, I1: 64}, transforms: [{split: {in: I0, factor: 16, out: "
        "[a, b]}}, {split: {in: a, factor: 7, out: [c, d]}}, {split: {in: d, factor: " +
        number(factor) + ", out: [e, f]}}], loop: [c, e, f, b, I1], bind: {" + rest +
        "b: Bulk, I1: Bulk}");
  };
  EXPECT_EQ(large(7, "").strong(), "by hardware");
  const TmaCase k = large(2, "");
  EXPECT_EQ(k.strong(), "by fallback");
  ASSERT_EQ(k.copy.guard.size(), 1u);
  EXPECT_EQ(to_string(k.copy.guard[0]), "e * 2 + f < 7");
  EXPECT_EQ(k.copy.hole.size(), 5u);
  const TmaCase oversplit(
      "logical: {I0: 1000003, I1: 64}, transforms: [{split: {in: I0, factor: 10, out: [a, b]}}, "
      "{split: {in: b, factor: 4, out: [c, d]}}], loop: [a, c, d, I1], bind: {c: Bulk, d: Bulk, "
      "I1: "
      "Bulk}");
  EXPECT_EQ(oversplit.strong(), "impossible");
  EXPECT_EQ(oversplit.copy.hole.size(), 4u);
}

TEST(TmaStrong, OfSymbolsIsDecidedForEverySize) {
  const auto strong = [](const std::string& rest) {
    const TmaCase k("logical: {I0: N, I1: 4}, " + rest, "symbols: {N: {max: 100000}}, ");
    EXPECT_TRUE(k.is_legal()) << k.refusal();
    return k.strong();
  };
  EXPECT_EQ(
      strong("transforms: [{split: {in: I0, factor: 8, out: [a, b]}}, {split: {in: a, factor: "
             "4, out: [c, d]}}], loop: [c, d, b, I1], bind: {b: Bulk, I1: Bulk}"),
      "by hardware");
  EXPECT_EQ(
      strong("transforms: [{split: {in: I0, factor: 8, out: [a, b]}}, {split: {in: a, factor: "
             "3, out: [c, d]}}, {split: {in: d, factor: 2, out: [e, f]}}], loop: [c, e, f, b, "
             "I1], bind: {b: Bulk, I1: Bulk}"),
      "by fallback");
  EXPECT_EQ(
      strong("transforms: [{split: {in: I0, factor: 10, out: [C, x]}}, {split: {in: x, factor: "
             "4, out: [t, r]}}], loop: [C, r, t, I1], bind: {t: Bulk, I1: Bulk}"),
      "impossible");
}

}  // namespace
}  // namespace selvage
