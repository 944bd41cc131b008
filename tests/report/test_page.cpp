#include <selvage/ir/ops.h>
#include <selvage/report/page.h>
#include <tests/support/text_files.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden.h"
#include "numbered.h"

namespace selvage {

namespace {

using test::expect_golden;
using test::figure2;
using test::Numbered;
using testing::HasSubstr;
using testing::Not;

Report page_report_on(const Numbered& t) {
  return inspect("test.yaml", {Subject{.schedule = *t.schedule, .items_may_be_lost = true}});
}

TEST(Page, Figure2IsAsReviewed) {
  const Numbered t = figure2();
  expect_golden("figure2.txt", page(page_report_on(t)));
}

// The first point at which I0 is past its bounds is one at which the inner split stops it as well:
// shown is one for which the check is needed.
TEST(Page, APointThatAnotherCheckStopsIsNoReasonForOne) {
  Numbered t("T0", {"I0"}, {5});
  Schedule& s = *t.schedule;
  const auto [outer, inner] = s.split(s.loops(t.id())[0], 4, {.outer = "o", .inner = "i"});
  s.split(inner, 3, {.outer = "a", .inner = "b"});
  const std::string text = page(page_report_on(t));
  EXPECT_THAT(text, HasSubstr("or else o = 1, a = 0, b = 1 stores T0[5], which does not exist"));
  EXPECT_THAT(text, HasSubstr("or else o = 0, a = 1, b = 1 stores T0[4] a second time"));
}

TEST(Page, Figure2FitsAScreenWithTheResultOfARun) {
  const Numbered t = figure2();
  Report report = page_report_on(t);
  report.runs.push_back(run(*t.fusion, *report.fusions[0].program, {.on = Machine::Virtual}));
  const std::vector<std::string> lines = lines_of(page(report));
  EXPECT_LE(lines.size(), 42u);
  for (const std::string& line : lines) EXPECT_LE(line.size(), 100u) << line;
  EXPECT_EQ(
      lines.back(),
      "Run on the virtual device: T0, 15 items, bit for bit those of the unscheduled program");
}

TEST(Page, ChosenPartsComeAlone) {
  const Numbered t = figure2();
  const Report report = page_report_on(t);
  EXPECT_EQ(page(report, {.loops = true}),
            "Kernel kernel_T0: one thread\n"
            "  for I3 in 2\n"
            "    for I4 in 2\n"
            "      for I5 in 2\n"
            "        for I6 in 4\n"
            "          if (I5 * 4 + I6 < 6 && I3 * 12 + I4 * 6 + I5 * 4 + I6 < 15)\n"
            "            T0[I3 * 12 + I4 * 6 + I5 * 4 + I6] = "
            "float(I3 * 12 + I4 * 6 + I5 * 4 + I6)\n");
  EXPECT_THAT(page(report, {.predicates = true}), HasSubstr("  I2: I5 * 4 + I6 < 6\n"));
  EXPECT_THAT(page(report, {.predicates = true}), Not(HasSubstr("or else")));
  EXPECT_THAT(
      page(report, {.why = true}),
      HasSubstr("or else I3 = 1, I4 = 0, I5 = 0, I6 = 3 stores T0[15], which does not exist"));
  EXPECT_EQ(page(report, {.cuda = true}), report.fusions[0].cuda[0][0].text);
}

TEST(Page, AFusionShowsItsCudaWhereThatIsAskedFor) {
  Fusion f;
  const Expr n = f.extent("N");
  const Tensor a = f.input("a", {n}, DataType::Float, {"n"});
  f.output("y", relu(a + 1.5));
  Schedule s(f);
  const Report report = inspect("test.yaml", {Subject{.schedule = s}});
  EXPECT_THAT(page(report), Not(HasSubstr("CUDA\n")));
  EXPECT_THAT(page(report, {.loops = true, .cuda = true}), HasSubstr("\nCUDA\n\n#ifndef KERNEL"));
}

// The first line of the page of a file.
std::string verdict(const std::string& text) {
  const ScheduleFile file = read_schedule_text(text, "a.yaml");
  return lines_of(page(inspect(file))).at(0);
}

TEST(Page, TheVerdictComesFirst) {
  EXPECT_EQ(verdict("tensors: {T0: {logical: {i: 10}}}\n"),
            "Legal: makes kernel_T0, one thread (--cuda prints its text)");
  EXPECT_EQ(
      verdict("tensors: {T0: {logical: {i: 10}, bind: {i: TIDx}}, T1: {logical: {i: 10, j: 4}, "
              "bind: {i: BIDx}}}\n"),
      "Legal: makes kernel_T0, 1 block of 10 threads; kernel_T1, 10 blocks of 1 thread (--cuda "
      "prints their");
  EXPECT_EQ(
      verdict("tensors: {T0: {logical: {i: 1}}, T1: {logical: {i: 1}}, T2: {logical: {i: 1}}, "
              "T3: {logical: {i: 1}}}\n"),
      "Legal: makes 4 kernels (--cuda prints their text)");
  EXPECT_EQ(verdict("tensors: {T0: {logical: {i: 10}, memory: shared}}\n"),
            "Legal: nothing of it is a kernel");
  EXPECT_EQ(verdict("tensors: {T0: {logical: {i: 10}, bind: {i: Group}}}\n"),
            "Illegal: E414, binding i to Group is not supported yet");
  EXPECT_EQ(verdict("tensors: {T0: {logical: {i: 10}, bind: {i: Group}}, T1: {logical: {i: 10}, "
                    "bind: {i: DIDx}}}\n"),
            "Illegal: E414, binding i to Group is not supported yet; and 1 error more");
  EXPECT_EQ(verdict("arrays: {A: {shape: [6], dtype: int32}}\nparallel: [{p: 6}]\n"
                    "body: [\"A[p] = 1\"]\n"),
            "Legal: makes kernel_a, 1 block of 6 threads (--cuda prints its text)");
}

TEST(Page, ARunThatGoesWrongIsTheVerdict) {
  const Numbered t = figure2();
  Report report = page_report_on(t);
  report.runs.push_back(run(*t.fusion, *report.fusions[0].program, {.on = Machine::Virtual}));
  report.runs[0].comparisons[0].failures = 1;
  EXPECT_EQ(lines_of(page(report)).at(0), "Wrong: legal, and a run of it went wrong");
}

TEST(Page, PointsOfAFoldFoldIntoTheirItem) {
  const ScheduleFile file = read_schedule_text(R"(
inputs: {x: {shape: [2, 10], dtype: float}}
compute: ['s[b] = sum(x[b, h])']
schedule: {s: [{split: {in: h, factor: 4, out: [ho, hi]}}, {resize: {in: b, left: 0, right: 1, out: b1}}]}
)",
                                               "a.yaml");
  const std::string text = page(inspect(file));
  EXPECT_THAT(text, HasSubstr("The item that each loop point folds into; . is a hole: an index is "
                              "out of bounds\n"));
  EXPECT_THAT(text,
              HasSubstr("      or else b1 = 0, ho = 2, hi = 2 folds one more into s[0]: h = 10 is "
                        "out of bounds\n"));
  EXPECT_THAT(text,
              HasSubstr("      or else b1 = 2, ho = 0, hi = 0 folds into s[2], which does not "
                        "exist\n"));
  EXPECT_THAT(text, Not(HasSubstr("stores")));
}

TEST(Page, ItemsThatAreLostAreNamed) {
  const Numbered t("T0", {"I0"}, {10});
  t.schedule->resize(t.schedule->loops(t.id())[0], t.c(-2), t.c(0), "I1");
  const Report report = page_report_on(t);
  EXPECT_THAT(page(report), HasSubstr("Coverage: no valid loop point visits I0 = "));
  ASSERT_EQ(report.diagnostics.size(), 1u);
  EXPECT_EQ(report.diagnostics[0].severity, Severity::Warning);
  EXPECT_EQ(report.exit_status(), 0);
}

TEST(Page, LongChainsStayShortAndNarrow) {
  const Numbered t("T0", {"I0"}, {1 << 20});
  Schedule& s = *t.schedule;
  ScheduledLoop rest = s.loops(t.id())[0];
  for (int i = 0; i < 60; ++i) {
    const auto [outer, inner] = s.split(rest, t.c(3));
    rest = s.merge(inner, outer);
  }
  const std::vector<std::string> lines = lines_of(page(page_report_on(t)));
  for (const std::string& line : lines) EXPECT_LE(line.size(), 100u) << line;
}

TEST(Page, ATableOfHolesHasRowsForTheOuterLoops) {
  const Numbered t("T0", {"I0"}, {10});
  t.schedule->split(t.schedule->loops(t.id())[0], 4, {.outer = "I1", .inner = "I2"});
  EXPECT_THAT(page(page_report_on(t)), HasSubstr("  I1 |  I2 across\n"
                                                 "  0  |  0 1 2 3\n"
                                                 "  1  |  4 5 6 7\n"
                                                 "  2  |  8 9 . .\n"));
}

}  // namespace

}  // namespace selvage
