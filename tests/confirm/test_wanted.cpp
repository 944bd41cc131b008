#include <selvage/confirm/confirm.h>
#include <selvage/confirm/solver.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/report/json.h>
#include <selvage/report/page.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace selvage {
namespace {

using testing::EndsWith;

class Wanted : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_z3()) GTEST_SKIP() << "[SKIP built without Z3]";
  }
};

TEST_F(Wanted, Z3IsAskedAboutARuleThatIsWanted) {
  const ScheduleFile file = read_schedule_text(
      "symbols: {K: {max: 10000}, L: {max: 10000}}\n"
      "inputs: {a: {shape: [K], dtype: float}, b: {shape: [K * K + L * L], dtype: float}}\n"
      "compute: ['y[i] = a[i] + b[K * K - 2 * K * L + L * L]']\n",
      "test.yaml");
  Report report = inspect(file);
  confirm(report);
  ASSERT_EQ(report.diagnostics.size(), 1u);  // the refusal, and nothing from Z3
  EXPECT_EQ(report.diagnostics[0].code, "E440");
  const std::string end =
      "\nRules wanted, for what is neither proved nor refuted at random points: 1\n"
      "  rule wanted: K * L * 2 <= K * K + L * L\n"
      "      for the read of b in y; Z3: it always holds\n";
  EXPECT_THAT(page(report), EndsWith(end));
  EXPECT_THAT(page(report, {.predicates = true}), EndsWith(end));
  EXPECT_EQ(to_json(report).find("wanted"), std::string::npos);
}

// One that a rule cannot settle: it fails, where random points do not reach.
TEST_F(Wanted, WhereItFailsIsNoFault) {
  const ScheduleFile file = read_schedule_text(
      "symbols: {K: {min: 1, max: 1000000}}\n"
      "inputs: {a: {shape: [K], dtype: float}, b: {shape: [K * K + 1000000000000], dtype: float}}\n"
      "compute: ['y[i] = a[i] + b[(K - 700123) * (K - 700124) - 1]']\n",
      "test.yaml");
  Report report = inspect(file);
  confirm(report);
  ASSERT_EQ(report.diagnostics.size(), 1u);
  EXPECT_EQ(report.diagnostics[0].code, "E440");
  EXPECT_THAT(page(report, {.why = true}),
              testing::ContainsRegex("Z3: it fails at K = 70012[34],"));
}

TEST_F(Wanted, NothingIsAddedWhereNoneIs) {
  const ScheduleFile file = read_schedule_file(SELVAGE_SOURCE_DIR "/examples/figure2.yaml");
  Report report = inspect(file);
  confirm(report);
  EXPECT_TRUE(report.tensors.at(0).wanted->empty());
  EXPECT_EQ(page(report, {.why = true}).find("wanted"), std::string::npos);
}

}  // namespace
}  // namespace selvage
