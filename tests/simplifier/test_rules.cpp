#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/simplifier/rules.h>
#include <selvage/simplifier/simplifier.h>
#include <selvage/simplifier/weight.h>
#include <tests/support/every_rule.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace selvage {
namespace {

class Rules : public testing::TestWithParam<const Rule*> {};

INSTANTIATE_TEST_SUITE_P(All, Rules, testing::ValuesIn(every_rule()), rule_test_name);

// The range that a rule's theorem is checked on: x, y, z are integers, a, b, c positive, p, q 0
// or 1.
Interval checked_range(PatternSymbol s) {
  switch (s) {
    case PatternSymbol::x:
    case PatternSymbol::y: return {-9, 9};
    case PatternSymbol::z: return {-3, 3};
    case PatternSymbol::a:
    case PatternSymbol::b:
    case PatternSymbol::c: return {1, 4};
    case PatternSymbol::p:
    case PatternSymbol::q: return {0, 1};
  }
  return {};
}

TEST_P(Rules, HoldsOnEveryPointOfABox) {
  const Rule& rule = *GetParam();
  const Expr roots[] = {rule.before, rule.after, rule.when};
  const std::vector<Expr> symbols = symbols_of(roots);
  Tape tape(roots, symbols);
  std::vector<Interval> ranges;
  std::vector<std::int64_t> values;
  for (Expr s : symbols) {
    ranges.push_back(checked_range(pattern_symbol(s)));
    values.push_back(ranges.back().lo);
  }
  int points = 0;
  for (bool more = true; more;) {
    ASSERT_TRUE(tape.evaluate(values));
    if (tape.root(2) != 0) {
      ++points;
      ASSERT_EQ(tape.root(0), tape.root(1))
          << written(rule) << "\nat " << testing::PrintToString(values);
    }
    more = false;
    for (std::size_t i = 0; i < values.size() && !more; ++i) {
      more = values[i]++ < ranges[i].hi;
      if (!more) values[i] = ranges[i].lo;
    }
  }
  EXPECT_GT(points, 0) << written(rule);
}

TEST_P(Rules, Decreases) {
  const Rule& rule = *GetParam();
  EXPECT_TRUE(decreases(rule)) << written(rule);
}

// What a, b and c stand for when a rule is tried: symbols that are at least 1, or numbers.
enum class Divisors { Symbols, Numbers };

Expr instance(Expr pattern, ExprPool& pool, Divisors divisors) {
  if (pattern.is(Op::Symbol)) {
    const bool numbers = divisors == Divisors::Numbers;
    switch (pattern_symbol(pattern)) {
      case PatternSymbol::x:
      case PatternSymbol::y:
      case PatternSymbol::z: break;
      case PatternSymbol::a:
        if (numbers) return pool.constant(4);
        break;
      case PatternSymbol::b:
        if (numbers) return pool.constant(2);
        break;
      case PatternSymbol::c:
        if (numbers) return pool.constant(3);
        break;
      case PatternSymbol::p: return eq(pool.symbol("u"), pool.symbol("v"));
      case PatternSymbol::q: return pool.symbol("s") < pool.symbol("t");
    }
    return pool.symbol(pattern.name());
  }
  if (pattern.is(Op::Const)) return pool.constant(pattern.value());
  if (pattern.is(Op::Bool)) return pool.truth(pattern.value() != 0);
  std::vector<Expr> args;
  for (Expr a : pattern.args()) args.push_back(instance(a, pool, divisors));
  return pool.make(pattern.op(), args);
}

// What the simplifier makes of a rule's left side where `when` is a fact.
struct Trial {
  std::string before, result, after;  // the right side in its own canonical form
  std::vector<std::string> rules;     // that were used, in the table's order
};

Trial tried(const Rule& rule, Divisors divisors) {
  ExprPool pool;
  Facts facts(pool);
  for (const char* name : {"a", "b", "c"}) {
    facts.bound(pool.symbol(name), pool.constant(1), {});
  }
  if (!rule.when.is_true()) {
    // Simplified first, so that `x % (4 * 2) == 0` is a fact of x.
    facts.assume(Simplifier(facts).simplify(instance(rule.when, pool, divisors)));
  }
  Simplifier simplifier(facts);
  const std::vector<std::uint64_t> hits = simplifier.hits();
  const Expr before = instance(rule.before, pool, divisors);
  const Expr result = simplifier.normal_form(before);
  Trial trial;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (simplifier.hits()[i] > hits[i]) trial.rules.emplace_back(all_rules()[i].name);
  }
  trial.before = to_string(before);
  trial.result = to_string(result);
  trial.after = to_string(simplifier.normal_form(instance(rule.after, pool, divisors)));
  return trial;
}

// With symbols or, for a rule that wants them, with numbers. A rule may yield to those before it in
// the table, which then say what its right side says.
TEST_P(Rules, FiresOnItsOwnLeftSide) {
  const Rule& rule = *GetParam();
  std::string seen;
  const std::string* taken_by = nullptr;
  std::vector<Trial> trials;
  for (Divisors divisors : {Divisors::Symbols, Divisors::Numbers}) {
    trials.push_back(tried(rule, divisors));
  }
  for (const Trial& trial : trials) {
    const auto fired = std::find(trial.rules.begin(), trial.rules.end(), rule.name);
    if (fired != trial.rules.end()) {
      EXPECT_NE(trial.result, trial.before) << written(rule);
      EXPECT_EQ(trial.result, trial.after) << written(rule);
      return;
    }
    if (!trial.rules.empty() && trial.result == trial.after) {
      const Rule* first = &selvage::rule(trial.rules.front());
      if (first < &rule) taken_by = &trial.rules.front();
    }
    seen += "\n  " + trial.before + " gave " + trial.result + " by";
    for (const std::string& name : trial.rules) seen += " " + name;
  }
  ASSERT_NE(taken_by, nullptr) << written(rule) << seen;
  std::printf("[FIGURE] rule %s yields to %s\n", std::string(rule.name).c_str(), taken_by->c_str());
}

TEST(RuleTable, NamesAreUniqueAndSayTheirFamily) {
  std::set<std::string_view> names;
  for (const Rule& r : all_rules()) {
    EXPECT_TRUE(names.insert(r.name).second) << r.name;
    EXPECT_NE(r.name.find('/'), std::string_view::npos) << r.name;
    EXPECT_EQ(&rule(r.name), &r);
  }
}

TEST(RuleTable, EveryRuleHasASource) {
  for (const Rule& r : all_rules()) EXPECT_FALSE(r.source.empty()) << r.name;
}

TEST(RuleTable, RightSidesAndConditionsMentionOnlyWhatTheLeftSideBinds) {
  for (const Rule& r : all_rules()) {
    std::set<std::uint32_t> bound;
    for (Expr s : symbols_of(std::span(&r.before, 1))) bound.insert(s.id());
    const Expr sides[] = {r.after, r.when};
    for (Expr s : symbols_of(sides)) EXPECT_TRUE(bound.count(s.id())) << r.name;
  }
}

TEST(RuleTable, RulesAreFoundByTheirRootInTheOrderOfTheTable) {
  std::size_t found = 0;
  for (std::size_t op = 0; op <= std::size_t(Op::Or); ++op) {
    const Rule* last = nullptr;
    for (const Rule* r : rules_for(Op(op))) {
      EXPECT_EQ(r->before.op(), Op(op));
      EXPECT_TRUE(last == nullptr || last < r);
      last = r;
      ++found;
    }
  }
  EXPECT_EQ(found, all_rules().size());
}

}  // namespace
}  // namespace selvage
