// Files whose loops become rings: what is said of them.
#include <selvage/report/page.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/threads/checked.h"

namespace selvage {
namespace {

using testing::HasSubstr;
using threads::Mend;
using threads::report_on;
using threads::said;

// The rows of x that ids names, where ids is stored in the iteration that uses them.
const std::string kGathered = R"(inputs:
  idx: {shape: [64, 32], dtype: int32}
  x: {shape: [100, 32], dtype: float}
compute:
  - g[i, j] = x[clamped(idx[i, j]), j]
  - y[i, j] = g[i, j] + 1
schedule:
  idx:
    - cache: {as: ids, memory: shared, at: i}
  ids:
    - bind: {j: TIDx}
  g:
    - memory: shared
    - stages: 2
    - copy: {by: cp_async}
    - bind: {j: TIDx}
    - inline: {into: y, at: i}
  y:
    - bind: {j: TIDx}
)";

TEST(RingFiles, AreRefusedWhereTheIterationStoresWhatSaysWhatIsCopied) {
  EXPECT_EQ(said(kGathered),
            "a.yaml:5:5: error[E448]: copies of g would be begun before the iteration in which ids "
            "is stored, which says what they copy; help: begin them 0 ahead; or store ids outside "
            "of that loop");
  EXPECT_EQ(said(Mend{"{by: cp_async}", "{by: cp_async, ahead: 0}"}(kGathered)), "accepted");
}

// A ring inside of another one, which closes and awaits groups of its own in each iteration.
TEST(RingFiles, MayStandInsideOfOneAnother) {
  EXPECT_EQ(said(R"(inputs:
  A: {shape: [M, K], dtype: float}
  B: {shape: [K, N], dtype: float}
compute:
  - C[m, n] = sum(A[m, k] * B[k, n])
schedule:
  A:
    - cache: {as: a, memory: shared, at: ko, by: cp_async, stages: 2}
  B:
    - cache: {as: b, memory: shared, at: ki, by: cp_async, stages: 2}
  a:
    - split: {in: m, factor: 16, out: [mo, mi]}
    - split: {in: k, factor: 16, out: [ko, ki]}
    - reorder: [mo, ko, mi, ki]
    - bind: {mo: BIDy, mi: TIDy, ki: TIDx}
  b:
    - split: {in: k, factor: 16, out: [ko, ki]}
    - split: {in: n, factor: 16, out: [no, ni]}
    - reorder: [no, ko, ki, ni]
    - bind: {no: BIDx, ni: TIDx}
  C:
    - split: {in: m, factor: 16, out: [mo, mi]}
    - split: {in: n, factor: 16, out: [no, ni]}
    - split: {in: k, factor: 16, out: [ko, ki]}
    - reorder: [mo, no, mi, ni, ko, ki]
    - bind: {mo: BIDy, no: BIDx, mi: TIDy, ni: TIDx}
)"),
            "accepted");
}

// Tiles and slots of the first iterations, or of all: a hole at the end of each half.
TEST(RingFiles, ShowWhatEachIterationDoes) {
  const auto shown = [](const std::string& extents, const std::string& cache) {
    return page(report_on("inputs: {x: {shape: [8, " + extents +
                          "], dtype: float}}\ncompute: [\"y[m, n] = exp(x[m, n])\"]\nschedule:\n"
                          "  x: [{cache: {as: xs, memory: shared, at: no, by: cp_async, " +
                          cache + "}}]\n  xs: [{split: {in: n, factor: 32, out: [no, ni]}}, " +
                          "{bind: {m: BIDx, ni: TIDx}}]\n"
                          "  y: [{split: {in: n, factor: 32, out: [no, ni]}}, " +
                          "{bind: {m: BIDx, ni: TIDx}}]\n"));
  };
  EXPECT_THAT(shown("N", "stages: 2"),
              HasSubstr("(cp.async), begun 1 iteration before they are used\n"
                        "    iteration      0     1     2     3     4  ..\n"
                        "    copies       0:0   1:1   2:0   3:1   4:0  ..\n"
                        "    awaits         .     0     1     2     3  ..\n"
                        "    uses           .   0:0   1:1   2:0   3:1  ..\n"));
  EXPECT_THAT(shown("70", "stages: 3, ahead: 1"),
              HasSubstr("    iteration      0     1     2     3\n"
                        "    copies       0:0   1:1   2:2     .\n"
                        "    awaits         .     0     1     2\n"
                        "    uses           .   0:0   1:1   2:2\n"));
  EXPECT_THAT(shown("70", "stages: 1"),
              HasSubstr("(cp.async), begun in the iteration that uses them\n"
                        "    iteration      0     1     2\n"
                        "    copies       0:0   1:0   2:0\n"
                        "    awaits         0     1     2\n"
                        "    uses         0:0   1:0   2:0\n"));
}

// Who copies, where it is not who uses the tiles.
TEST(RingFiles, SayWhichRoleCopies) {
  const std::string text = page(report_on(
      "inputs: {x: {shape: [8, N], dtype: float}}\ncompute: [\"y[m, n] = exp(x[m, n])\"]\n"
      "schedule:\n"
      "  x: [{cache: {as: xs, memory: shared, at: no, by: bulk, stages: 2, role: load}}]\n"
      "  xs: [{split: {in: n, factor: 32, out: [no, ni]}}, "
      "{split: {in: ni, factor: 32, out: [nz, nv]}}, {bind: {m: BIDx, nv: Vectorize}}]\n"
      "  y: [{split: {in: n, factor: 32, out: [no, ni]}}, {bind: {m: BIDx, ni: TIDx}}]\n"));
  EXPECT_THAT(text, HasSubstr("begun 1 iteration before they are used\n"
                              "  made by the role load, 1 warp of each block; no other waits for a "
                              "slot to be free\n    iteration "));
}

// As many stages as there are iterations, or more.
TEST(RingFiles, MayHaveMoreSlotsThanTiles) {
  const std::string file = R"(inputs:
  x: {shape: [64, 128], dtype: float}
compute:
  - s[i] = sum(x[i, k])
  - y[i] = s[i] * 2
schedule:
  x:
    - cache: {as: xs, memory: shared, at: ko, by: cp_async, stages: 4, ahead: 2}
  s:
    - split: {in: k, factor: 32, out: [ko, ki]}
    - bind: {i: BIDx, ki: TIDx}
)";
  EXPECT_EQ(said(file), "accepted");
  EXPECT_EQ(said(Mend{"by: cp_async, stages: 4, ahead: 2", "stages: 7"}(file)), "accepted");
}

}  // namespace
}  // namespace selvage
