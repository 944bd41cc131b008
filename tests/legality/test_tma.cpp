// Tensor maps of schedules: which dimensions, boxes and strides come out, and what the hardware
// then brings.
#include <selvage/expr/text.h>

#include "tests/legality/tma_case.h"

namespace selvage {
namespace {

constexpr const char* kBox =
    "transforms: [{split: {in: I0, factor: 16, out: [R, r]}}, {split: {in: I1, factor: 32, out: "
    "[C, c]}}], loop: [R, C, r, c], bind: {r: Bulk, c: Bulk, C: BIDx}";

TEST(TmaMap, OfABoxPerAxisHasRankTwo) {
  const TmaCase k("logical: {I0: 100, I1: 200}, " + std::string(kBox));
  EXPECT_EQ(k.map(), "I0 100 by 800: 16; I1 200 by 4: 32");
  EXPECT_EQ(to_string(k.copy.dims[0].coordinate), "R * 16");
  EXPECT_EQ(to_string(k.copy.dims[1].index), "C * 32 + c");
  EXPECT_EQ(k.copy.tile_bytes, 2048);
  EXPECT_EQ(k.copy.type, "FLOAT32");
  EXPECT_EQ(k.strong(), "by hardware");
  EXPECT_TRUE(is_right(k.tile(false), true));
  EXPECT_EQ(k.copy.finding.reason,
            "a tensor map of rank 2 brings boxes of 16 x 32 items: each item to its place, 0 for "
            "what is out of bounds");
}

TEST(TmaMap, IsAbsentWhereNothingIsBulk) {
  const auto file = schedule_files::read("{tensors: {T0: {dtype: float, logical: {I0: 16}}}}");
  const FileTensor& t = file.tensors[0];
  EXPECT_FALSE(tma_copy(*t.fusion, *t.schedule, analyze(*t.fusion, *t.schedule, t.tensor)));
}

TEST(TmaMap, OfAWholeTensorIsOneBox) {
  EXPECT_EQ(TmaCase("logical: {I0: 8, I1: 16}, bind: {I0: Bulk, I1: Bulk}").map(),
            "I0 I1 128 by 4: 128");
  // Past 256 items they stay apart.
  EXPECT_EQ(TmaCase("logical: {I0: 32, I1: 16}, bind: {I0: Bulk, I1: Bulk}").map(),
            "I0 32 by 64: 32; I1 16 by 4: 16");
}

// A column of one item is not shifted, whatever the swizzle says.
TEST(TmaMap, OfAShiftThatMovesNothingIsThatOfTheTile) {
  const TmaCase k(
      "dtype: half, logical: {I0: 8, I1: 8}, transforms: [{split: {in: I1, factor: 8, out: [chunk, "
      "lane]}}, {swizzle: {kind: cyclic_shift, in: [I0, chunk], out: [u, v]}}], loop: [u, v, "
      "lane], bind: {u: Bulk, v: Bulk, lane: Bulk}");
  EXPECT_EQ(k.map(), "u I1 64 by 2: 64");
  EXPECT_TRUE(is_right(k.tile(false), true));
}

// Two axes of 50 items in a row, of which the loops go through 48.
TEST(TmaMap, IsOverAllItemsThatLieThere) {
  const TmaCase k(
      "logical: {I0: 5, I1: 10}, transforms: [{merge: {in: [I0, I1], out: m}}, {resize: {in: m, "
      "left: 0, right: -2, out: t}}, {split: {in: t, factor: 4, out: [o, i]}}, {split: {in: o, "
      "factor: 2, out: [R, r]}}], loop: [R, r, i], bind: {r: Bulk, i: Bulk}");
  EXPECT_EQ(k.map(), "m 50 by 4: 8");
}

TEST(TmaMap, SpansABoxAndEveryElementStrideOfIt) {
  const TmaCase k(
      "logical: {I0: 40, I1: 4}, transforms: [{split: {in: I0, factor: 12, out: [R, r]}}, {split: "
      "{in: r, factor: 4, out: [t, e]}}], loop: [R, e, t, I1], bind: {t: Bulk, I1: Bulk}");
  EXPECT_EQ(k.map(), "I0 40 by 16: 12/4; I1 4 by 4: 4");
  EXPECT_EQ(k.copy.dims[0].count, 3);
  EXPECT_EQ(to_string(k.copy.dims[0].coordinate), "R * 12 + e");
  EXPECT_EQ(k.strong(), "by hardware");
  EXPECT_TRUE(is_right(k.tile(false), true));
  EXPECT_EQ(k.copy.finding.reason,
            "a tensor map of rank 2 brings boxes of 12 x 4 items, one of 4 along I0: each item to "
            "its place, 0 for what is out of bounds");
}

// Neighbours without a gap become one dimension, where no bound is lost by that.
TEST(TmaMap, CollapsesWhatLiesWithoutAGap) {
  const std::string box =
      "transforms: [{split: {in: I2, factor: 8, out: [C, c]}}], loop: [I0, I1, "
      "C, c], bind: {c: Bulk}";
  EXPECT_EQ(TmaCase("logical: {I0: 3, I1: 5, I2: 16}, " + box).map(), "I0 I1 I2 240 by 4: 8");
  // 8 does not divide 20: the hardware must see the end of each row.
  const TmaCase rows("logical: {I0: 3, I1: 5, I2: 20}, " + box);
  EXPECT_EQ(rows.map(), "I0 I1 15 by 80: 1; I2 20 by 4: 8");
  EXPECT_EQ(rows.strong(), "by hardware");
  EXPECT_EQ(TmaCase("logical: {I0: 3, I1: 5, I2: 16}, strides: [100, 20, 1], " + box).map(),
            "I0 I1 15 by 80: 1; I2 16 by 4: 8");
  // An axis of one item has no stride.
  EXPECT_EQ(TmaCase("logical: {I0: 3, I1: 1, I2: 16}, strides: [16, 7, 1], " + box).map(),
            "I0 I1 I2 48 by 4: 8");
}

TEST(TmaMap, GivesUpBoundsOnlyWhereTheRankIsPastFive) {
  const std::string axes = "logical: {I0: 2, I1: 3, I2: 2, I3: 3, I4: 2, I5: 12}, ";
  const std::string cut =
      "transforms: [{split: {in: I1, factor: 2, out: [a, b]}}, {split: {in: I3, factor: 2, out: "
      "[c, d]}}, {split: {in: I5, factor: 8, out: [e, f]}}, {split: {in: I4, factor: 4, out: [g, "
      "h]}}, {split: {in: I2, factor: 4, out: [i, j]}}, {split: {in: I0, factor: 4, out: [k, "
      "l]}}], "
      "loop: [a, c, e, g, i, k, b, d, h, j, l, f], bind: {f: Bulk}";
  const TmaCase k(axes + cut);
  EXPECT_EQ(k.copy.rank(), 5u) << k.map();
  EXPECT_TRUE(is_right(k.tile(false), false));
  EXPECT_EQ(k.map(),
            "I0 2 by 1728: 1; I1 3 by 576: 1; I2 2 by 288: 1; I3 I4 6 by 48: 1; I5 12 by 4: 8");
  EXPECT_EQ(k.strong(), "by fallback");
}

// A merge of neighbours is one dimension; across a gap each box must stay in a row, be whole rows,
// or have nothing left of the gap (law F).
TEST(TmaMap, OfAMergedAxisFollowsLawF) {
  const auto merged = [](const std::string& strides, int factor) {
    return "logical: {I0: 8, I1: 20, I2: 16}, " + strides +
           "transforms: [{merge: {in: [I0, I1], out: M}}, {split: {in: M, factor: " +
           std::to_string(factor) + ", out: [o, i]}}], loop: [o, i, I2], bind: {i: Bulk, I2: Bulk}";
  };
  EXPECT_EQ(TmaCase(merged("", 6)).map(), "M I2 2560 by 4: 96");  // no gap
  const std::string gap = "strides: [400, 16, 1], ";
  const TmaCase inside(merged(gap, 5)), rows(merged(gap, 40));
  EXPECT_EQ(inside.map(), "I0 8 by 1600: 1; I1 I2 320 by 4: 80");
  EXPECT_EQ(rows.map(), "I0 8 by 1600: 2; I1 20 by 64: 20; I2 16 by 4: 16");
  EXPECT_TRUE(is_right(inside.tile(false), true));
  EXPECT_TRUE(is_right(rows.tile(false), true));
}

// 18 items of rows of 7, one of 7 of them: three rows at one column, wherever the box begins.
TEST(TmaMap, OfABoxThatStepsFromRowToRowNeedNotBeginWithARow) {
  const TmaCase k(
      "logical: {I0: 6, I1: 7, I2: 4}, strides: [32, 4, 1], transforms: [{merge: {in: [I0, I1], "
      "out: M}}, {split: {in: M, factor: 18, out: [o, b]}}, {split: {in: b, factor: 7, out: [t, "
      "e]}}], loop: [o, e, t, I2], bind: {t: Bulk, I2: Bulk}");
  EXPECT_EQ(k.map(), "I0 6 by 128: 3; I1 I2 28 by 4: 4");
  EXPECT_TRUE(is_right(k.tile(false), false));
  EXPECT_EQ(k.strong(), "impossible");
}

// One of 2 rows of 6 items would be one of 12.
TEST(TmaMap, KeepsApartWhatTogetherHasTooWideAnElementStride) {
  const TmaCase k(
      "dtype: half, logical: {I0: 9, I1: 6, I2: 1, I3: 9}, strides: [192, 32, 32, 1], transforms: "
      "[{split: {in: I0, factor: 6, out: [o, b]}}, {split: {in: b, factor: 2, out: [t, e]}}, "
      "{split: {in: I3, factor: 8, out: [p, q]}}], loop: [I1, o, p, e, t, I2, q], "
      "bind: {t: Bulk, I2: Bulk, q: Bulk}");
  EXPECT_EQ(k.map(), "I0 9 by 384: 6/2; I1 I2 6 by 64: 1; I3 9 by 2: 8");
  EXPECT_TRUE(is_right(k.tile(false), false));
}

// Groups of n of a rows of b items: boxes of rows x columns, all of one shape, or not.
bool are_boxes(int a, int b, int n) {
  for (int columns = 1; columns <= n; ++columns) {
    if (n % columns != 0) continue;
    bool all = true;
    for (int begin = 0; begin < a * b; begin += n) {
      for (int t = 0; t < n && begin + t < a * b; ++t) {
        const int row = begin / b + t / columns, column = begin % b + t % columns;
        all = all && row == (begin + t) / b && column == (begin + t) % b;
      }
    }
    if (all) return true;
  }
  return false;
}

TEST(TmaMap, BoxesAcrossAGapAreThoseOfLawF) {
  for (int a = 1; a <= 4; ++a) {
    for (int b = 1; b <= 9; ++b) {
      for (int n = 1; n <= 20; ++n) {
        const std::string text =
            "logical: {I0: " + std::to_string(a) + ", I1: " + std::to_string(b) +
            ", I2: 4}, strides: [1000, 8, 1], transforms: [{merge: {in: [I0, I1], out: M}}, "
            "{split: "
            "{in: M, factor: " +
            std::to_string(n) + ", out: [o, i]}}], loop: [o, i, I2], bind: {i: Bulk, I2: Bulk}";
        const TmaCase k(text);
        EXPECT_EQ(k.is_legal(), a == 1 || b % n == 0 || n % b == 0) << text << k.map();
        EXPECT_EQ(k.is_legal() || n > a * b, are_boxes(a, b, n) || n > a * b) << text << k.map();
        EXPECT_TRUE(!k.is_legal() || is_right(k.tile(false), false)) << text;
      }
    }
  }
}

TEST(TmaMap, DropsAxesOfOneItemBeforeLawF) {
  const std::string rest =
      "transforms: [{merge: {in: [I0, I1], out: M}}, {split: {in: M, factor: 6, out: [o, i]}}], "
      "loop: [o, i, I2], bind: {i: Bulk, I2: Bulk}";
  const TmaCase k("logical: {I0: 1, I1: 20, I2: 16}, strides: [999, 16, 1], " + rest);
  EXPECT_EQ(k.map(), "M I2 320 by 4: 96");
  EXPECT_TRUE(is_right(k.tile(false), true));
}

TEST(TmaMap, FollowsTheOrderOfTheTile) {
  const TmaCase k(
      "logical: {I0: 8, I1: 4, I2: 16}, loop: [I1, I0, I2], bind: {I0: Bulk, I1: Bulk, "
      "I2: Bulk}");
  EXPECT_EQ(k.map(), "I1 4 by 64: 4; I0 8 by 256: 8; I2 16 by 4: 16");
  EXPECT_TRUE(is_right(k.tile(false), true));
}

TEST(TmaMap, OfAViewIsThatOfWhatLiesInMemory) {
  const TmaCase k(
      "root: {I0: 6, I1: 32}, view: [{merge: {in: [I0, I1], out: I2}}], logical: [I2], "
      "loop: [I0, I1], bind: {I1: Bulk}");
  EXPECT_EQ(k.map(), "I2 192 by 4: 32");
  EXPECT_TRUE(is_right(k.tile(false), true));
}

TEST(TmaMap, OfAPaddedTileBringsZerosBesideTheTensor) {
  const TmaCase k(
      "logical: {I0: 6, I1: 30}, transforms: [{resize: {in: I1, left: 1, right: 1, out: "
      "P}}], loop: [I0, P], bind: {I0: Bulk, P: Bulk}, strides: [32, 1], fill: 0");
  EXPECT_EQ(k.map(), "I0 6 by 128: 6; I1 30 by 4: 32");
  EXPECT_EQ(k.strong(), "by hardware");
  EXPECT_TRUE(is_right(k.tile(false), true));
}

TEST(TmaMap, KnowsTheSwizzlesOfTheHardware) {
  struct Row {
    const char* type;
    int columns, chunks, rows, half;
    const char* name;
  };
  for (const Row& row : {Row{"half", 64, 8, 8, 1, "128B"}, Row{"half", 32, 4, 8, 2, "64B"},
                         Row{"float", 8, 2, 8, 4, "32B"}, Row{"int8", 128, 8, 8, 1, "128B"}}) {
    const auto n = [](int v) { return std::to_string(v); };
    const TmaCase k(
        "dtype: " + std::string(row.type) + ", logical: {I0: 20, I1: " + n(3 * row.columns) +
        "}, transforms: [{split: {in: I0, factor: 16, out: [R, r]}}, "
        "{split: {in: r, factor: 8, out: [r0, r1]}}, {split: {in: r1, factor: " +
        n(row.half) + ", out: [line, part]}}, {split: {in: I1, factor: " + n(row.columns) +
        ", out: [C, c]}}, {split: {in: c, factor: " + n(row.columns / row.chunks) +
        ", out: [chunk, lane]}}, {swizzle: {kind: xor, in: "
        "[line, chunk], out: [u, v]}}], loop: [R, C, r0, u, part, v, lane], bind: {r0: "
        "Bulk, u: Bulk, part: Bulk, v: Bulk, lane: Bulk}, fill: 0");
    EXPECT_TRUE(k.is_legal()) << k.refusal();
    EXPECT_EQ(to_string(k.copy.swizzle), row.name);
    EXPECT_EQ(k.copy.dims.back().box, row.columns);
    EXPECT_TRUE(is_right(k.tile(false), true)) << row.name;
  }
}

TEST(TmaMap, LeavesToTheLaunchWhatSizesDecide) {
  const TmaCase k("logical: {I0: M, I1: N}, contiguity: [false, true], align: 4, " +
                      std::string(kBox) + ", fill: 0",
                  "symbols: {M: {max: 1000000}, N: {max: 1000000}}, ");
  EXPECT_EQ(k.map(), "I0 M by T0_stride_I0 * 4: 16; I1 N by 4: 32");
  EXPECT_EQ(k.conditions(),
            "T0_stride_I0 * 4 % 16 == 0; T0_stride_I0 * 4 < 1099511627776; T0 % 16 == 0");
  EXPECT_EQ(k.strong(), "by hardware");
}

TEST(TmaMap, AsksForADivisibleRowAtLaunch) {
  const TmaCase k(
      "logical: {I0: 8, I1: N, I2: 16}, contiguity: [false, true, true], transforms: "
      "[{merge: {in: [I0, I1], out: M}}, {split: {in: M, factor: 6, out: [o, i]}}], loop: "
      "[o, i, I2], bind: {i: Bulk, I2: Bulk}",
      "symbols: {N: {max: 1000}}, ");
  EXPECT_EQ(k.map(), "I0 8 by T0_stride_I0 * 4: 1; I1 I2 N * 16 by 4: 96");
  EXPECT_EQ(k.conditions(),
            "N % 6 == 0; T0_stride_I0 * 4 % 16 == 0; T0_stride_I0 * 4 < "
            "1099511627776");
}

TEST(TmaMap, CopiesEveryTypeByItsSize) {
  for (const char* type : {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                           "uint64", "half", "bfloat16", "float", "double"}) {
    const TmaCase k("dtype: " + std::string(type) + ", logical: {I0: 64}, bind: {I0: Bulk}");
    EXPECT_TRUE(k.is_legal()) << type;
    EXPECT_FALSE(k.copy.type.empty()) << type;
  }
  EXPECT_EQ(TmaCase("dtype: bool, logical: {I0: 64}, bind: {I0: Bulk}").copy.type, "UINT8");
  EXPECT_EQ(TmaCase("dtype: int16, logical: {I0: 64}, bind: {I0: Bulk}").copy.type, "UINT16");
}

// M is cut into I0 and I1 elsewhere than a and b are, so that only its whole tile can be: row by
// row where that is possible, else it is refused as a box of M.
TEST(TmaMap, OfATileInTwoPartsIsThatOfTheWholeWhereItIsCutBetweenThem) {
  const auto keys = [](int columns) {
    return "logical: {I0: " + std::to_string(3072 / columns) + ", I1: " + std::to_string(columns) +
           "}, transforms: [{merge: {in: [I0, I1], out: M}}, {split: {in: M, factor: 1024, out: "
           "[o, t]}}, {split: {in: t, factor: 64, out: [a, b]}}], loop: [o, a, b], bind: {a: Bulk, "
           "b: Bulk}";
  };
  const TmaCase rows(keys(32));
  EXPECT_EQ(rows.map(), "I0 96 by 128: 32; I1 32 by 4: 32");
  EXPECT_TRUE(is_right(rows.tile(false), true));
  EXPECT_EQ(TmaCase(keys(64)).map(), "o a 48 by 256: 16; b 64 by 4: 64");
  EXPECT_EQ(TmaCase(keys(96)).map(),
            "E461: the box of T0 has 1024 items of M (rule of the tensor map: a box of 1 to 256 "
            "items); at o = 0, a = 4, b = 0; help: split a by 4 and bind the inner part to "
            "Bulk");
}

TEST(TmaMap, OfASizeThatItsCutNeverDividesIsRefused) {
  const auto keys = [](int factor) {
    return "logical: {I0: N, I1: 4}, transforms: [{split: {in: I0, factor: " +
           std::to_string(factor) +
           ", out: [a, b]}}, {split: {in: a, factor: 2, out: [c, d]}}, {split: {in: b, factor: 2, "
           "out: [e, f]}}], loop: [c, e, d, f, I1], bind: {d: Bulk, f: Bulk, I1: Bulk}";
  };
  const std::string even = "symbols: {N: {max: 1000}}, facts: [N % 8 == 6], ";
  EXPECT_EQ(TmaCase(keys(8), even).map(),
            "E460: the tile of T0 is no box: I0 (N) is cut by 8, which does not divide it, and "
            "parts of a and of b lie in the tile; at c = 0, e = 3, d = 1, f = 0, I1 = 0, N = 14; "
            "help: split a by 1 instead of 2");
  EXPECT_TRUE(TmaCase(keys(2), even).is_legal());
}

// One of 2 items, in two parts, the inner of which alone is next to the item.
TEST(TmaMap, OfATileInTwoPartsStepsByItsInnerPart) {
  const TmaCase k(
      "logical: {I0: 4096, I1: 4}, transforms: [{split: {in: I0, factor: 2, out: [t, e]}}, {split: "
      "{in: t, factor: 1024, out: [o, u]}}, {split: {in: u, factor: 64, out: [a, b]}}], loop: [o, "
      "e, a, b, I1], bind: {a: Bulk, b: Bulk, I1: Bulk}");
  EXPECT_EQ(k.map(), "o a 32 by 2048: 16; b e 128 by 16: 128/2; I1 4 by 4: 4");
  EXPECT_TRUE(is_right(k.tile(false), true));
}

}  // namespace
}  // namespace selvage
