// A TMA copy on the page, in JSON and among the diagnostics.
#include <selvage/report/json.h>
#include <selvage/report/page.h>
#include <tests/frontend/schedule_files.h>
#include <tests/support/json_value.h>
#include <tests/support/text_files.h>

#include <gmock/gmock.h>

namespace selvage {

namespace {

using json = test::JsonValue;
using testing::HasSubstr;

struct InspectedTma {
  explicit InspectedTma(const std::string& text) : file(schedule_files::read(text)) {
    report = inspect(file);
    tensors = json::parse(to_json(report))["tensors"];
  }
  static InspectedTma example(const std::string& name) {
    return InspectedTma(contents(kRepository / "examples" / name));
  }
  ScheduleFile file;
  Report report;
  json tensors;
};

TEST(TmaReport, OfABoxIsAsReviewed) {
  const InspectedTma k = InspectedTma::example("tma_box.yaml");
  EXPECT_EQ(k.report.exit_status(), 0);
  EXPECT_THAT(
      page(k.report),
      HasSubstr(
          "\n"
          "TMA: legal: a tensor map of rank 2 brings boxes of 16 x 32 items: each item to its "
          "place, 0 for what\n"
          "    is out of bounds; the holes hold 0 by hardware\n"
          "  dimension  items  bytes apart  box  stride  coordinate\n"
          "  row        100    800          16   1       row_o * 16\n"
          "  column     200    4            32   1       column_o * 32\n"
          "  of FLOAT32; the tile has 2048 bytes, aligned to 128\n"
          "  holes are 0: by hardware: every hole is past the bounds of row or column, which "
          "the hardware\n"
          "      tests: 0 is what it brings\n"
          "\n"
          "Loops of T0, which has no kernel of its own\n"));
  EXPECT_EQ(k.tensors["T0"]["tma"], json::parse(R"({
    "legal": true, "verdict": "proved", "if": [], "rank": 2, "dims": [["row"], ["column"]],
    "box": [16, 32], "element_strides": [1, 1], "sizes": ["100", "200"], "strides": ["800", "4"],
    "coordinates": ["row_o * 16", "column_o * 32"], "type": "FLOAT32", "swizzle": "none",
    "tile_bytes": 2048, "tile_align": 128, "weak": true, "strong": "by hardware",
    "reason": "a tensor map of rank 2 brings boxes of 16 x 32 items: each item to its place, 0 for what is out of bounds; the holes hold 0 by hardware",
    "strong_reason": "every hole is past the bounds of row or column, which the hardware tests: 0 is what it brings"})"));
}

TEST(TmaReport, TellsTheHoleAndTheGuardOfAFallback) {
  const InspectedTma k = InspectedTma::example("tma_strong.yaml");
  EXPECT_EQ(k.report.exit_status(), 0);
  const json tma = k.tensors["T0"]["tma"];
  EXPECT_EQ(tma["legal"], true);
  EXPECT_EQ(tma["strong"], "by fallback");
  EXPECT_EQ(tma["guard"].dump(), R"(["I6 < 1"])");
  EXPECT_EQ(tma["hole"], json::parse(R"({"I3": 0, "I5": 0, "I6": 1, "I2": 0})"));
  EXPECT_THAT(
      page(k.report),
      HasSubstr("  holes are 0: by fallback: a copy brings items or holes, never both: one "
                "without I6 < 1 is issued\n"
                "      past the end, and brings 0\n"
                "    a hole that the copy alone fills with an item: I3 = 0, I5 = 0, I6 = 1, "
                "I2 = 0\n"));
}

// Where duplicates are allowed, no check tells items from holes; the guard of the copy does.
TEST(TmaReport, AGuardNeedNotBeACheckOfTheTensor) {
  std::string text = contents(kRepository / "examples" / "tma_strong.yaml");
  text.replace(text.find("dtype: float"), 12, "dtype: float\n    duplicates: allowed");
  const InspectedTma k(text);
  EXPECT_EQ(k.tensors["T0"]["tma"]["guard"].dump(), R"(["0 <= I6 && I6 < 1"])");
  EXPECT_THAT(page(k.report), HasSubstr("one without 0 <= I6 && I6 < 1"));
}

TEST(TmaReport, AnIllegalCopyStaysAmongTheTensorsAndFailsTheFile) {
  const InspectedTma k(
      "tensors:\n  T0: {dtype: float, logical: {I0: N, I1: 9}, bind: {I1: Bulk, I0: Bulk}}\n"
      "  T1: {dtype: float, logical: {I0: 8, I1: 9}, strides: [S, 1], bind: {I1: Bulk, I0: Bulk}}\n"
      "  T2: {dtype: float, logical: {I0: 8, I1: 10}, strides: [4 * S + 1, 1], bind: {I1: Bulk}}\n"
      "symbols: {S: {}, N: {}}\n");
  EXPECT_EQ(k.report.exit_status(), 1);
  EXPECT_EQ(k.tensors["T0"]["tma"]["verdict"], "unknown");
  EXPECT_EQ(k.tensors["T0"]["tma"]["legal"], false);
  EXPECT_FALSE(k.tensors["T0"]["tma"].contains("rank"));
  EXPECT_EQ(k.tensors["T1"]["tma"]["verdict"], "refuted");
  EXPECT_EQ(k.tensors["T1"]["tma"]["weak"], false);
  // A witness names the sizes, too.
  EXPECT_TRUE(k.tensors["T2"]["tma"]["witness"].contains("S"));
  ASSERT_EQ(k.report.diagnostics.size(), 3u);
  EXPECT_EQ(to_text(k.report.diagnostics[1]),
            "a.yaml:3:3: error[E461]: the box of T1 has 36 bytes of I1, its innermost dimension "
            "(rule of the tensor map: a multiple of 16 bytes in the innermost dimension of the "
            "box); at I0 = 0, I1 = 8, S = 1; help: split I1 by 8 and bind the inner part to Bulk");
  EXPECT_THAT(page(k.report), HasSubstr("TMA: illegal: the box of T1 has 36 bytes"));
  EXPECT_THAT(page(k.report), HasSubstr("TMA: not decided: the tile of T0 has no known size"));
}

TEST(TmaReport, ListsWhatIsTestedAtLaunch) {
  const InspectedTma k(
      "tensors: {T0: {dtype: half, logical: {I0: M, I1: 64}, align: 2, contiguity: [false, true], "
      "transforms: [{split: {in: I0, factor: 8, out: [o, i]}}], loop: [o, i, I1], bind: {i: Bulk, "
      "I1: Bulk}}}\nsymbols: {M: {max: 100}}\n");
  EXPECT_EQ(k.report.exit_status(), 0);
  EXPECT_EQ(k.tensors["T0"]["tma"]["if"],
            json::parse(R"(["T0_stride_I0 * 2 % 16 == 0", "T0_stride_I0 * 2 < 1099511627776",
                           "T0 % 16 == 0"])"));
  EXPECT_THAT(page(k.report), HasSubstr("  if T0_stride_I0 * 2 % 16 == 0\n"));
}

}  // namespace

}  // namespace selvage
