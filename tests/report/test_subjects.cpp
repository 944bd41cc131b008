// Where a refusal stands: at the tensor that it is about, or what reads it.
#include <selvage/frontend/schedule_file.h>
#include <selvage/report/report.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace selvage {
namespace {

std::string places_and_codes(const std::string& yaml) {
  std::string all;
  for (const Diagnostic& d : inspect(read_schedule_text(yaml, "a.yaml")).diagnostics) {
    all += std::to_string(d.place.line) + " " + d.code + " ";
  }
  return all;
}

constexpr const char* kHead =
    "sizes: {M: 4}\n"
    "inputs: {x: {shape: [M, M], dtype: float}}\n"
    "outputs: {y: {}}\n"
    "compute:\n";

// c is a cache, which the file makes by the schedule of y: the reader that is refused has no line
// of its own, what it reads has.
TEST(Subjects, AReaderThatTheScheduleMadeStandsWhereWhatItReadsIs) {
  EXPECT_EQ(places_and_codes("sizes: {M: 1}\n"
                             "inputs: {x: {shape: [M], dtype: float}}\n"
                             "outputs: {y: {}}\n"
                             "compute:\n"
                             "  - t[i] = x[i] + 1\n"
                             "  - y[] = t[0] * 2\n"
                             "schedule:\n"
                             "  y: [{cache: {as: c, memory: local}}]\n"
                             "  t: [{split: {in: i, factor: 8, out: [a, b], inner: false}}, "
                             "{bind: {a: BIDx}}, {inline: {into: y}}, {memory: local}]\n"),
            "5 E432 ");
}

// A partial tensor has no line, nor does what the file calls by no name: who reads it has.
TEST(Subjects, APartialTensorStandsWhereItsFoldIs) {
  EXPECT_EQ(
      places_and_codes(std::string(kHead) + "  - s[m] = sum(x[m, n])\n"
                                            "  - y[m] = s[m] + 1\n"
                                            "schedule:\n"
                                            "  s: [{split: {in: n, factor: 2, out: [no, ni]}}, "
                                            "{bind: {ni: TIDx}}, {rfactor: {in: [no], as: p}}]\n"
                                            "  p: [{bind: {ni: BIDx}}]\n"),
      "5 E413 ");
}

// A fold inside of a statement is named in no file: the statement is where it stands, and the help
// says what to do first.
TEST(Subjects, AFoldInsideOfAStatementStandsWhereThatIs) {
  const ScheduleFile file = read_schedule_text(std::string(kHead) +
                                                   "  - y[m] = sum(x[m, n]) + 1\n"
                                                   "schedule:\n"
                                                   "  y: [{bind: {m: BIDx}}]\n",
                                               "a.yaml");
  EXPECT_TRUE(std::ranges::none_of(inspect(file).diagnostics, [](const Diagnostic& d) {
    return d.severity == Severity::Error;
  }));
  const std::string refused =
      places_and_codes(std::string(kHead) +
                       "  - y[m] = sum(x[m, n]) + 1\n"
                       "schedule:\n"
                       "  y: [{split: {in: m, factor: 4096, out: [o, i]}}, {bind: {i: TIDx}}]\n");
  EXPECT_EQ(refused, "5 E442 ");
}

}  // namespace
}  // namespace selvage
