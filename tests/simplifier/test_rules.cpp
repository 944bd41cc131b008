#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/simplifier/simplifier.h>

#include <gtest/gtest.h>

#include <set>

namespace selvage {
namespace {

class Rules : public testing::TestWithParam<const Rule*> {};

std::vector<const Rule*> every_rule() {
  std::vector<const Rule*> all;
  for (const Rule& r : all_rules()) all.push_back(&r);
  return all;
}

std::string test_name(const testing::TestParamInfo<const Rule*>& info) {
  std::string name(info.param->name);
  for (char& c : name) c = c == '/' || c == '-' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Rules, testing::ValuesIn(every_rule()), test_name);

std::string written(const Rule& rule) {
  return to_string(rule.before) + " = " + to_string(rule.after) + " when " + to_string(rule.when);
}

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

// The pattern over symbols of its own; the divisors of a rule that asks for numbers are 4 and 2.
Expr instance(Expr pattern, ExprPool& pool, bool number) {
  if (pattern.is(Op::Symbol)) {
    const PatternSymbol s = pattern_symbol(pattern);
    if (s == PatternSymbol::p) return eq(pool.symbol("u"), pool.symbol("v"));
    if (s == PatternSymbol::q) return pool.symbol("s") < pool.symbol("t");
    if (s == PatternSymbol::a && number) return pool.constant(4);
    if (s == PatternSymbol::b && number) return pool.constant(2);
    return pool.symbol(pattern.name());
  }
  if (pattern.is(Op::Const)) return pool.constant(pattern.value());
  if (pattern.is(Op::Bool)) return pool.truth(pattern.value() != 0);
  std::vector<Expr> args;
  for (Expr a : pattern.args()) args.push_back(instance(a, pool, number));
  return pool.make(pattern.op(), args);
}

TEST_P(Rules, FiresOnItsOwnLeftSide) {
  const Rule& rule = *GetParam();
  const bool number = rule.propose == Propose::Congruent || rule.name == "sum/divisible" ||
                      rule.name == "sum/divisible-part" || rule.name == "order/common-factor";
  ExprPool pool;
  Facts facts(pool);
  for (const char* name : {"a", "b", "c"}) {
    facts.bound(pool.symbol(name), pool.constant(1), {});
  }
  // Simplified first, so that `x % (4 * 2) == 0` is a fact of x.
  if (!rule.when.is_true()) {
    facts.assume(Simplifier(facts).simplify(instance(rule.when, pool, number)));
  }
  Simplifier simplifier(facts);
  const Expr before = instance(rule.before, pool, number);
  const std::size_t index = std::size_t(&rule - all_rules().data());
  const std::uint64_t hits = simplifier.hits()[index];
  const Expr result = simplifier.simplify(before);
  EXPECT_FALSE(same(result, before)) << written(rule);
  EXPECT_GT(simplifier.hits()[index], hits) << written(rule) << "\ngave " << to_string(result);
  // The right side means the same, so it has the same canonical form.
  const Expr after = simplifier.simplify(instance(rule.after, pool, number));
  EXPECT_EQ(to_string(result), to_string(after)) << written(rule);
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
