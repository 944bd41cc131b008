#include <selvage/frontend/schedule_file.h>
#include <selvage/report/obligations.h>
#include <selvage/report/page.h>
#include <selvage/simplifier/rules.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace selvage {
namespace {

using Of = Confirmation::Of;

// "index of I1: div/small, mod/small", a line for each obligation with rules behind it.
std::string rules_of(const std::string& yaml) {
  const ScheduleFile file = read_schedule_text(yaml, "test.yaml");
  const Report report = inspect(file);
  EXPECT_EQ(report.exit_status(), 0) << to_text(report.diagnostics);
  std::string text;
  for (const Obligation& o : obligations_of(report.tensors.at(0), report.fusions.at(0))) {
    const std::vector<std::string> names = rules_behind(o);
    if (names.empty()) continue;
    text += std::string(to_string(o.of)) + " of " + o.what + ":";
    for (const std::string& name : names) text += " " + std::string(rule(name).name);
    text += "\n";
  }
  return text;
}

TEST(RulesBehind, ASplitAloneNeedsNone) {
  EXPECT_EQ(rules_of("tensors: {T: {dtype: float, logical: {i: 10}, transforms: [{split: {in: i, "
                     "factor: 4, out: [o, l]}}]}}"),
            "");
}

// Which rules of a family do it is the table's business.
TEST(RulesBehind, AMergeThatIsSplitAgainCancels) {
  const std::string text = rules_of(
      "tensors: {T: {dtype: float, logical: {i: 6, j: 4}, transforms: [{merge: {in: [i, j], out: "
      "m}}, {split: {in: m, factor: 4, out: [o, l]}}]}}");
  EXPECT_THAT(text, testing::MatchesRegex("index of i: div/.*\nindex of j: mod/.*\n"));
}

TEST(RulesBehind, AccessesAndExtentsHaveTheirs) {
  const std::string text = rules_of(
      "symbols: {N: {multiple_of: 8}}\n"
      "inputs: {a: {shape: [M, N], dtype: float}}\n"
      "compute: ['y[m, n] = 2 * a[m, n]']\n"
      "schedule: {y: [{merge: {in: [m, n], out: q}}, {split: {in: q, factor: 8, out: [o, l]}}]}\n");
  EXPECT_THAT(text, testing::MatchesRegex("extent of o: div/.*\naddress of y: sum/.*\naccess of "
                                          "a: sum/.*\n"));
}

TEST(RulesBehind, TheyAreAPartOfWhy) {
  const ScheduleFile file = read_schedule_text(
      "tensors: {T: {dtype: float, logical: {i: 6, j: 4}, transforms: [{merge: {in: [i, j], out: "
      "m}}, {split: {in: m, factor: 4, out: [o, l]}}]}}",
      "test.yaml");
  const Report report = inspect(file);
  const std::string heading = "Rules behind what was simplified (--rules prints them)\n";
  EXPECT_NE(page(report, {.why = true}).find(heading + "  the index of i: div/"), std::string::npos)
      << page(report, {.why = true});
  EXPECT_EQ(page(report).find(heading), std::string::npos);
}

}  // namespace
}  // namespace selvage
