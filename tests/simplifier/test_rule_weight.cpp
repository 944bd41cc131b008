#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/simplifier/rules.h>
#include <selvage/simplifier/simplifier.h>
#include <selvage/simplifier/weight.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

Weight weight_of(const char* text) { return weight(parse_expr(patterns(), text)); }
bool lighter(const char* b, const char* a) { return is_lighter(weight_of(b), weight_of(a)); }

TEST(RuleWeight, WhatIsLighterIsLighterWhateverTheSymbolsStandFor) {
  EXPECT_TRUE(lighter("x", "x + y"));
  EXPECT_FALSE(lighter("y", "x"));
  EXPECT_FALSE(lighter("x", "x"));
  EXPECT_TRUE(lighter("x / (a * b)", "x / a / b"));
  EXPECT_FALSE(lighter("x / a / b", "x / (a * b)"));
  EXPECT_FALSE(lighter("x / a + y / a", "(x + y) / a"));  // a stands twice on the right
  EXPECT_FALSE(lighter("x + x", "x + 1 + 1 + 1 + 1"));
}

TEST(RuleWeight, OrderAndGroupingOfTermsWeighNothing) {
  for (const auto& [a, b] :
       {std::pair("x + (y + z)", "z + x + y"), {"x * (a * b)", "b * x * a"}, {"x - y", "y - x"}}) {
    EXPECT_EQ(weight_of(a).of, weight_of(b).of);
    EXPECT_EQ(weight_of(a).constant, weight_of(b).constant);
  }
}

// So an expression is lighter once any part of it is.
TEST(RuleWeight, EveryOperatorOfTheTableGrowsWithEachOperand) {
  std::vector<Expr> sides;
  for (const Rule& rule : all_rules()) sides.insert(sides.end(), {rule.before, rule.after});
  for (Expr e : reachable(sides, true)) {
    const Weight whole = weight(e);
    for (Expr operand : e.args()) {
      const Weight part = weight(operand);
      EXPECT_TRUE(is_lighter(part, whole)) << to_string(e);
      for (std::size_t i = 0; i < kPatternSymbols; ++i) {
        EXPECT_GE(whole.of[i], part.of[i]) << to_string(e);
      }
    }
  }
}

// A rule that is lighter only with a number for its divisor is proposed with numbers only.
TEST(RuleWeight, RulesOfNumbersAreProposedWithNumbersOnly) {
  int rules = 0;
  for (const Rule& rule : all_rules()) {
    if (!wants_numbers(rule)) continue;
    ++rules;
    ExprPool pool;
    Facts facts(pool);
    const Expr x = pool.symbol("x"), y = pool.symbol("y"), a = pool.symbol("a");
    facts.bound(a, pool.constant(1), {});
    facts.bound(x, pool.constant(0), {});
    facts.congruent(x, 12);
    facts.assume(eq(x % a, 0));
    Simplifier simplifier(facts);
    simplifier.simplify((x + y) / a);
    simplifier.simplify((x + y) % a);
    EXPECT_EQ(simplifier.hits()[std::size_t(&rule - all_rules().data())], 0u) << rule.name;
  }
  EXPECT_GT(rules, 0);
}

}  // namespace
}  // namespace selvage
