// Files that once went wrong, each as small as it could be made.
#include <gtest/gtest.h>

#include <selvage/frontend/schedule_file.h>
#include <selvage/report/report.h>

#include <algorithm>

namespace selvage {
namespace {

TEST(FoundCases, FactsThatNoSampledSizeMeetsLeaveMinimalityUnknown) {
  for (const char* fact : {"!(N < 100)", "N * N == 50", "N == K + 300"}) {
    const std::string text = std::string("symbols: {N: {}, K: {}}\nfacts: [\"") + fact +
                             "\"]\ntensors:\n  A: {dtype: int32, logical: {x: N}, transforms: "
                             "[{split: {in: x, factor: 4, out: [a, b]}}]}\n";
    const ScheduleFile file = read_schedule_text(text, "case.yaml");
    const Report report = inspect(file);
    ASSERT_EQ(report.tensors.size(), 1u) << fact;
    EXPECT_EQ(report.tensors[0].analysis.predicates.kept.size(), 1u) << fact;
  }
}

TEST(FoundCases, AnIndexOfItsOwnIsInBoundsHoweverItsLoopsAreCut) {
  const ScheduleFile file = read_schedule_text(
      "sizes: {M: 3}\n"
      "inputs: {a: {shape: [M], dtype: float}}\n"
      "compute: [\"y[m] = a[m]\"]\n"
      "schedule: {y: [{split: {in: m, factor: 3, out: [o, i]}}, "
      "{split: {in: i, factor: 32, out: [p, q]}}, {split: {in: o, factor: 2, out: [r, s]}}, "
      "{merge: {in: [s, q], out: u}}]}\n",
      "case.yaml");
  EXPECT_EQ(inspect(file).exit_status(), 0);
}

TEST(FoundCases, PartsOfOneFactMayNotContradictEachOther) {
  EXPECT_THROW(read_schedule_text("symbols: {N: {}}\nfacts: [\"N % 2 == 1 && N % 2 == 0\"]\n"
                                  "tensors: {A: {logical: {x: N}}}\n",
                                  "case.yaml"),
               BadFile);
}

TEST(FoundCases, TwoNamesOfOneIterdomainAreBothListed) {
  const ScheduleFile file = read_schedule_text(
      "tensors:\n"
      "  T: {dtype: int8, root: {a: 4, b: 3}, view: [{merge: {in: [a, b], out: c}}, "
      "{split: {in: c, factor: 5, out: [d, e]}}], logical: [d, e], "
      "transforms: [{merge: {in: [a, b], out: f}}], loop: [f]}\n",
      "case.yaml");
  const Report report = inspect(file);
  ASSERT_EQ(report.tensors.size(), 1u);
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    const auto& listed = report.tensors[0].iterdomains;
    EXPECT_TRUE(std::any_of(listed.begin(), listed.end(), [&](const auto& entry) {
      return entry.first == name;
    })) << name;
  }
}

TEST(FoundCases, OneDiagnosticIsOneLine) {
  Diagnostic d;
  d.code = "E301";
  d.message = "the text '3\n' is no expression";
  EXPECT_EQ(to_text(d), "selvage: error[E301]: the text '3 ' is no expression");
}

TEST(FoundCases, SizesOfAWitnessThatHangTogetherAreMadeSmallInFewSteps) {
  // N and i can only come down side by side: the witness's group is the last of N elements.
  const ScheduleFile file = read_schedule_text(
      "symbols: {N: {max: 1099511627776, min: 0}}\n"
      "tensors:\n"
      "  T: {dtype: int16, logical: {x: N}, duplicates: allowed, "
      "transforms: [{split: {in: x, factor: 3, out: [a, b]}}, "
      "{split: {in: b, factor: 8, out: [c, d], inner: false}}, {merge: {in: [a, d], out: i}}, "
      "{split: {in: c, factor: 16, out: [e, f]}}, {split: {in: e, factor: 8, out: [g, h]}}], "
      "loop: [i, g, h, f], bind: {f: Vectorize}}\n",
      "case.yaml");
  EXPECT_EQ(inspect(file).exit_status(), 1);
}

TEST(FoundCases, SixtyCutsOfOneExtentLeaveNothingToOverflow) {
  std::string transforms;
  for (int k = 0; k < 60; ++k) {
    transforms += std::string(k == 0 ? "" : ", ") +
                  "{split: {in: " + (k == 0 ? "x" : "o" + std::to_string(k - 1)) +
                  ", factor: " + (k % 2 == 0 ? "3" : "2") + ", out: [o" + std::to_string(k) +
                  ", i" + std::to_string(k) + "]}}";
  }
  const ScheduleFile file =
      read_schedule_text("tensors: {T: {dtype: float, logical: {x: 100000}, transforms: [" +
                             transforms + "], bind: {o59: BIDx, i0: Unswitch}}}\n",
                         "case.yaml");
  const Report report = inspect(file);
  EXPECT_EQ(report.exit_status(), 0);
  ASSERT_EQ(report.tensors.size(), 1u);
  EXPECT_FALSE(report.tensors[0].analysis.predicates.kept.empty());
}

TEST(FoundCases, GapsBetweenRowsThatNobodyIsSaidToReadRefuseNothing) {
  const ScheduleFile file = read_schedule_text(
      "symbols: {N: {max: 64}, S: {}}\n"
      "tensors: {T: {dtype: float, logical: {x: 16, y: N}, strides: [S, 1], transforms: ["
      "{merge: {in: [x, y], out: a}}, {split: {in: a, factor: 6, out: [b, c]}}]}}\n",
      "case.yaml");
  const Report report = inspect(file);
  EXPECT_EQ(to_text(report.diagnostics), "");
  EXPECT_EQ(report.exit_status(), 0);
}

}  // namespace
}  // namespace selvage
