#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/report/rules_page.h>
#include <tests/support/every_rule.h>

#include <gtest/gtest.h>

#include "tests/confirm/rule_proof.h"

namespace selvage {
namespace {

class RuleProofs : public testing::TestWithParam<const Rule*> {
 protected:
  void SetUp() override {
    if (!has_z3()) GTEST_SKIP() << "[SKIP built without Z3]";
  }
};

INSTANTIATE_TEST_SUITE_P(All, RuleProofs, testing::ValuesIn(every_rule()), rule_test_name);

std::string written(const Verdict& verdict) {
  if (is_proved(verdict)) return "proved";
  const auto* refuted = std::get_if<Refuted>(&verdict);
  if (refuted == nullptr) return "unknown";
  std::string text = "refuted at";
  for (const auto& [symbol, value] : refuted->point) {
    text += " " + to_string(symbol) + " = " + std::to_string(value);
  }
  return text;
}

// The label of doc/rules.md is neither too bold nor too modest.
TEST_P(RuleProofs, Z3ProvesItAsFarAsItsLabelSays) {
  const Rule& rule = *GetParam();
  const Verdict for_all = prove_rule(rule);
  switch (proof_of(rule)) {
    case RuleProof::AllIntegers: EXPECT_EQ(written(for_all), "proved") << written(rule); break;
    case RuleProof::DivisorsTo8:
      EXPECT_EQ(written(prove_rule_to_8(rule)), "proved") << written(rule);
      EXPECT_EQ(written(for_all), "unknown") << written(rule) << ": take it off the list of rules "
                                             << "that resist (csrc/report/rules_page.cpp)";
      break;
  }
}

// A rule with one more on its right side is wrong, and there is a point that shows it.
TEST_P(RuleProofs, Z3RefutesTheSameWithOneMoreOnTheRight) {
  Rule planted = *GetParam();
  if (info(planted.before.op()).result == Result::Truth) {
    planted.after = !planted.after;
  } else {
    planted.after = planted.after + 1;
  }
  const Verdict verdict = prove_rule(planted);
  ASSERT_EQ(written(verdict).substr(0, 10), "refuted at") << written(planted);
  std::vector<Expr> symbols;
  std::vector<std::int64_t> values;
  for (const auto& [symbol, value] : std::get<Refuted>(verdict).point) {
    symbols.push_back(symbol);
    values.push_back(value);
  }
  const auto at = [&](Expr e) { return evaluate(e, symbols, values); };
  EXPECT_EQ(at(planted.when), 1);
  EXPECT_NE(at(planted.before), at(planted.after));
}

Rule planted(const char* before, const char* after, const char* when) {
  const auto parse = [](const char* text) { return parse_expr(patterns(), text); };
  return {"planted", parse(before), parse(after), parse(when), Propose::Structure, "here"};
}

TEST(PlantedRules, WhatIsAlmostTrueIsRefuted) {
  if (!has_z3()) GTEST_SKIP() << "[SKIP built without Z3]";
  for (const Rule& rule : {
           planted("(x + y) / a", "x / a + y / a", "true"),
           planted("(x + y) / a", "x / a + y / a", "x % a == 0 || 0 <= y"),
           planted("x / a", "0", "0 <= x && x <= a"),
           planted("x % a", "x", "0 - a < x && x < a"),
           planted("(x * b + y) / (a * b)", "x / a", "0 <= y && y <= b"),
           planted("x - x / a * a", "x % b", "a <= b"),
           planted("0 <= x * a + y", "0 <= x", "y < a"),
       }) {
    EXPECT_EQ(written(prove_rule(rule)).substr(0, 10), "refuted at") << written(rule);
  }
}

TEST(PlantedRules, WhatHoldsForSmallDivisorsOnlyIsToldApart) {
  if (!has_z3()) GTEST_SKIP() << "[SKIP built without Z3]";
  const Rule rule = planted("x % a", "min(x % a, 7)", "true");
  EXPECT_EQ(written(prove_rule_to_8(rule)), "proved");
  EXPECT_EQ(written(prove_rule(rule)).substr(0, 10), "refuted at");
}

}  // namespace
}  // namespace selvage
