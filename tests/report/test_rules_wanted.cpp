#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/report/json.h>
#include <selvage/report/obligations.h>
#include <selvage/report/open_questions.h>
#include <selvage/report/page.h>
#include <selvage/report/point.h>
#include <selvage/simplifier/simplifier.h>
#include <tests/oracle/random_graph.h>
#include <tests/support/counts.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace selvage {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

const std::string kHeading =
    "\nRules wanted, for what is neither proved nor refuted at random points: ";

struct InspectedRules {
  explicit InspectedRules(const std::string& yaml)
      : file(read_schedule_text(yaml, "test.yaml")), report(inspect(file)) {}
  ScheduleFile file;
  Report report;

  std::string why() const { return page(report, {.why = true}); }
};

// 6 divides K * (K + 1) * (K + 2), which is no matter of linear arithmetic.
std::string three_in_a_row(const std::string& name, const std::string& more) {
  return "  " + name +
         ":\n"
         "    dtype: float\n"
         "    logical: {a: K, b: K + 1, c: K + 2}\n"
         "    transforms:\n"
         "      - merge: {in: [a, b], out: ab}\n"
         "      - merge: {in: [ab, c], out: abc}\n" +
         more;
}
const std::string kSymbols = "symbols: {K: {max: 100}}\n";
const std::string kSplitBy6 = "      - split: {in: abc, factor: 6, out: [o, i]}\n";

TEST(RulesWanted, ACheckThatIsNotNeededForAReasonThatNoRuleKnows) {
  const InspectedRules t(kSymbols + "tensors:\n" + three_in_a_row("T", kSplitBy6));
  EXPECT_EQ(t.report.exit_status(), 0) << to_text(t.report.diagnostics);
  EXPECT_THAT(t.why(), EndsWith(kHeading + "1\n"
                                           "  rule wanted: o * 6 + i < ((K + 3) * K + 2) * K\n"
                                           "      for the check of abc of T\n"));
}

TEST(RulesWanted, AReadThatIsRefusedForAReasonThatNoRuleKnows) {
  const InspectedRules t(
      "symbols: {K: {max: 10000}, L: {max: 10000}}\n"
      "inputs: {a: {shape: [K], dtype: float}, b: {shape: [K * K + L * L], dtype: float}}\n"
      "compute: ['y[i] = a[i] + b[K * K - 2 * K * L + L * L]']\n");
  ASSERT_EQ(t.report.diagnostics.size(), 1u);
  EXPECT_EQ(t.report.diagnostics[0].code, "E440");
  EXPECT_THAT(t.why(), EndsWith(kHeading + "1\n"
                                           "  rule wanted: K * L * 2 <= K * K + L * L\n"
                                           "      for the read of b in y\n"));
}

TEST(RulesWanted, ItemsOfWhichNoRuleKnowsThatTheyAreVisited) {
  const InspectedRules t(kSymbols + "tensors:\n" +
                         three_in_a_row("T",
                                        "      - resize: {in: abc, left: 0, right: 1, out: r}\n"
                                        "      - split: {in: r, factor: 6, out: [o, i]}\n"
                                        "      - resize: {in: o, left: 0, right: -1, out: p}\n"));
  const std::string why = t.why();
  EXPECT_THAT(why, HasSubstr(kHeading + "1\n  rule wanted: "));
  EXPECT_THAT(why, EndsWith("for the visit to every item of T\n"));
}

TEST(RulesWanted, NoneWhereAllIsProvedOrRefuted) {
  for (const char* yaml : {
           "tensors: {T: {dtype: float, logical: {i: 10}, transforms: [{split: {in: i, factor: 4, "
           "out: [o, l]}}]}}",
           "symbols: {N: {multiple_of: 8}}\ntensors: {T: {dtype: float, logical: {i: N, j: N}, "
           "transforms: [{split: {in: i, factor: 4, out: [o, l]}}, {split: {in: j, factor: 16, "
           "out: [p, m]}}]}}",
           // Both ends of a shifted index: each has its hole, and the report shows one.
           "symbols: {N: {}}\ntensors: {T: {dtype: float, logical: {i: N}, transforms: [{resize: "
           "{in: i, left: 2, right: 3, out: j}}]}}",
           // A read out of bounds, with a point.
           "inputs: {a: {shape: [N], dtype: float}}\ncompute: ['y[i] = a[i] + a[i + 1]']\n",
       }) {
    EXPECT_THAT(InspectedRules(yaml).why(), Not(HasSubstr("wanted"))) << yaml;
  }
}

TEST(RulesWanted, EachOnceInTheOrderOfThePage) {
  const InspectedRules t(
      kSymbols + "tensors:\n" + three_in_a_row("T1", kSplitBy6) + three_in_a_row("T2", kSplitBy6) +
      three_in_a_row("T3", "      - split: {in: abc, factor: 6, out: [o, j]}\n"));
  EXPECT_THAT(t.why(), EndsWith(kHeading + "2\n"
                                           "  rule wanted: o * 6 + i < ((K + 3) * K + 2) * K\n"
                                           "      for the check of abc of T1\n"
                                           "  rule wanted: o * 6 + j < ((K + 3) * K + 2) * K\n"
                                           "      for the check of abc of T3\n"));
}

TEST(RulesWanted, NothingElseOfThePageChangesAndNothingOfTheJson) {
  InspectedRules t(kSymbols + "tensors:\n" + three_in_a_row("T", kSplitBy6));
  for (const PageOptions& options :
       {PageOptions{}, PageOptions{.loops = true}, PageOptions{.predicates = true}}) {
    EXPECT_THAT(page(t.report, options), Not(HasSubstr("wanted")));
  }
  const std::string json = to_json(t.report), why = t.why();
  TensorReport& tensor = t.report.tensors.at(0);
  tensor.wanted = rules_wanted(tensor, t.report.fusions.at(0));
  ASSERT_EQ(tensor.wanted->size(), 1u);
  EXPECT_EQ(to_json(t.report), json);
  EXPECT_EQ(t.why(), why);
  tensor.wanted->clear();
  EXPECT_EQ(t.why(), why.substr(0, why.find(kHeading)));
}

TEST(RulesWanted, WhatZ3SaysStandsBesideIt) {
  ExprPool pool;
  const Expr x = pool.symbol("x");
  Expr huge = x;
  for (int i = 0; i < 200; ++i) huge = huge * x;
  const std::vector<RuleWanted> wanted = {
      {"the check of a of T", Facts(pool), 0 <= x * x, Proved{}},
      {"the check of b of T", Facts(pool), 1 <= x * x, Refuted{{{x, 0}}}},
      {"the check of c of T", Facts(pool), x <= x * x * x * x, Unknown{}},
      {"the check of d of T", Facts(pool), 0 <= huge},
      {"the check of e of T", Facts(pool), 1 <= x * x},
  };
  Lines out;
  print_rules_wanted(wanted, out);
  EXPECT_EQ(out.take(),
            kHeading.substr(1) +
                "4\n"
                "  rule wanted: 0 <= x * x\n"
                "      for the check of a of T; Z3: it always holds\n"
                "  rule wanted: 1 <= x * x\n"
                "      for the check of b of T; Z3: it fails at x = 0\n"
                "  rule wanted: x <= x * x * x * x\n"
                "      for the check of c of T; Z3: not decided\n"
                "  rule wanted: more than 400 characters are left of the check of d of T\n"
                "      for the check of d of T\n");
}

// At random points, by nothing but evaluation: what is left says the same as the condition, and a
// refutation is one.
class WantedPoints {
 public:
  WantedPoints(const OpenQuestion& question, Expr residue)
      : question_(question), residue_(residue) {
    const Expr both[] = {question.claim, residue};
    conditions_ = conditions(question.facts, both);
    std::vector<Expr> roots = conditions_;
    roots.insert(roots.end(), std::begin(both), std::end(both));
    symbols_ = symbols_of(roots);
  }

  // How many of the points drawn the facts allow.
  int compare(std::mt19937_64& rng, int points) const {
    int allowed = 0;
    for (; points > 0; --points) {
      Point point;
      const std::int64_t most = oracle::draw(rng, 1, 20);
      for (Expr s : symbols_) point.emplace_back(s, oracle::draw(rng, 0, most));
      if (!allows(point)) continue;
      ++allowed;
      EXPECT_EQ(value_at(question_.claim, point), value_at(residue_, point))
          << to_string(question_.claim) << " and " << to_string(residue_) << " at "
          << to_text(point);
    }
    return allowed;
  }
  bool allows(const Point& point) const {
    return std::all_of(conditions_.begin(), conditions_.end(),
                       [&](Expr c) { return value_at(c, point) == 1; });
  }

 private:
  const OpenQuestion& question_;
  Expr residue_;
  std::vector<Expr> conditions_, symbols_;
};

TEST(RulesWanted, WhatIsLeftSaysTheSameAtEveryPoint) {
  std::mt19937_64 rng(5);
  std::vector<std::string> files = {kSymbols + "tensors:\n" + three_in_a_row("T", kSplitBy6)};
  for (int schedules = count(150, 3000); schedules > 0; --schedules) {
    files.push_back(oracle::to_yaml(oracle::random_symbolic_graph(rng)));
  }
  int wanted = 0, refuted = 0, allowed = 0;
  for (const std::string& yaml : files) {
    const InspectedRules t(yaml);
    // One that is refused has no tensor in its report.
    if (t.report.tensors.empty()) continue;
    for (const OpenQuestion& q : open_questions(t.report.tensors[0], t.report.fusions[0])) {
      const Verdict verdict = Simplifier(q.facts).prove(q.claim);
      if (const auto* unknown = std::get_if<Unknown>(&verdict)) {
        ++wanted;
        allowed += WantedPoints(q, unknown->residue).compare(rng, 2000);
      } else if (const auto* point = std::get_if<Refuted>(&verdict)) {
        ++refuted;
        EXPECT_EQ(value_at(q.claim, point->point), 0) << to_string(q.claim);
        EXPECT_TRUE(WantedPoints(q, q.claim).allows(point->point)) << to_text(point->point);
      }
    }
  }
  std::printf("[FIGURE] of random schedules: %d rules wanted, %d points; %d refuted\n", wanted,
              allowed, refuted);
  EXPECT_GT(allowed, 0);
}

}  // namespace
}  // namespace selvage
