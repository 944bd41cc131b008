// The warning of repeated work, on the page and as a diagnostic, and what its help says.
#include <selvage/report/page.h>
#include <selvage/report/repeated_lines.h>
#include <tests/support/text_files.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/pictures/drawings.h"

namespace selvage {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kRowSums = R"(
inputs: {x: {shape: [64, 1000], dtype: float}, w: {shape: [1000, 256], dtype: float}}
compute:
  - s[m] = sum(x[m, k])
  - y[m, j] = s[m] * w[0, j]
schedule:
)";

std::vector<Diagnostic> repeated(const std::string& schedule) {
  const test::Inspected inspected(kRowSums + schedule);
  EXPECT_EQ(inspected.report.exit_status(), 0) << schedule;
  std::vector<Diagnostic> found;
  for (const Diagnostic& d : inspected.report.diagnostics) {
    if (d.code == "E439") found.push_back(d);
  }
  return found;
}

// What stands behind these words in a help.
std::string behind(const std::string& help, const std::string& words) {
  const std::size_t at = help.find(words);
  EXPECT_NE(at, std::string::npos) << help;
  return at == std::string::npos ? "" : help.substr(at + words.size());
}

TEST(RepeatedWork, OfThreadsIsEndedByTheListThatTheHelpWrites) {
  const std::string own = "  y: [{bind: {m: BIDx, j: TIDx}}]\n";
  const std::vector<Diagnostic> found = repeated(own);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::Warning);
  EXPECT_EQ(found[0].place.line, 4);
  EXPECT_EQ(found[0].message,
            "each element of s is folded 256 times: all of it by each of the 256 threads TIDx "
            "(loop j of y)");
  EXPECT_EQ(found[0].notes, std::vector<std::string>{"16,384,000 steps instead of 64,000"});
  const std::string list = behind(found[0].help, "share it among the threads: ");
  EXPECT_TRUE(repeated(own + "  " + list + "\n").empty()) << list;
}

TEST(RepeatedWork, OfIterationsIsEndedByThePlaceThatTheHelpNames) {
  const std::string own = "  y: [{bind: {m: BIDx}}]\n";
  const std::vector<Diagnostic> found = repeated(own + "  s: {inline: {into: y, at: j}}\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].message, HasSubstr("by each of the 256 iterations of the loop j of y"));
  const std::string place = behind(found[0].help, "before the loop j: ");
  EXPECT_TRUE(repeated(own + "  s: {" + place + "}\n").empty()) << place;
}

TEST(RepeatedWork, OfAListThatIsThereIsEndedByWhatTheHelpAdds) {
  const std::string own = "  y: [{bind: {m: BIDx, j: TIDx}}]\n";
  const std::string list = "{split: {in: k, factor: 8, out: [ko, ki]}}, {inline: {into: y, at: m}}";
  const std::vector<Diagnostic> found = repeated(own + "  s: [" + list + "]\n");
  ASSERT_EQ(found.size(), 1u);
  const std::string more = behind(found[0].help, "add to the list of s: ");
  EXPECT_TRUE(repeated(own + "  s: [" + list + ", " + more + "]\n").empty()) << more;
}

TEST(RepeatedWork, StandsOnThePage) {
  const test::Inspected inspected(std::string(kRowSums) + "  y: [{bind: {m: BIDx, j: TIDx}}]\n");
  EXPECT_THAT(page(inspected.report),
              HasSubstr("Repeated work\n  each element of s is folded 256 times: all of it by each "
                        "of the 256 threads TIDx (loop j of y)\n    16,384,000 steps instead of "
                        "64,000\n    to end it, share it among the threads: s: ["));
  EXPECT_THAT(page(test::Inspected(std::string(kRowSums) + "  y: [{bind: {m: BIDx}}]\n").report),
              Not(HasSubstr("Repeated work")));
}

TEST(RepeatedWork, IsInNoExample) {
  for (const auto& entry : std::filesystem::directory_iterator(kRepository / "examples")) {
    if (entry.path().extension() != ".yaml") continue;
    const test::Inspected inspected(contents(entry.path()));
    for (const Diagnostic& d : inspected.report.diagnostics) {
      EXPECT_NE(d.code, "E439") << entry.path() << ": " << to_text(d);
    }
  }
}

}  // namespace
}  // namespace selvage
