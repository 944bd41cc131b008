// However large an expression, simplifying it ends, and what is given up leaves it right.
#include <gtest/gtest.h>

#include <selvage/base/work.h>
#include <selvage/expr/tape.h>
#include <selvage/simplifier/simplifier.h>

#include <random>
#include <string>
#include <unordered_map>

#include "tests/corpus/growing_expressions.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

// A bound of a symbol, which reads symbols that have values already.
std::int64_t bound(Expr e, const std::unordered_map<std::uint32_t, std::int64_t>& known) {
  const std::vector<Expr> symbols = symbols_of(std::span(&e, 1));
  std::vector<std::int64_t> values;
  for (Expr s : symbols) values.push_back(known.at(s.id()));
  return evaluate(e, symbols, values).value();
}

// At twenty points that the ranges allow, with an eye to their ends.
void expect_equal_values(const growth::Problem& problem, Expr simplified) {
  std::vector<Expr> roots = {problem.expression, simplified}, symbols;
  for (Expr e : problem.facts.assumptions()) roots.push_back(e);
  for (const Facts::Symbol& s : problem.facts.symbols()) symbols.push_back(s.symbol);
  Tape tape(roots, symbols);
  std::mt19937_64 rng(5);
  int compared = 0;
  for (std::uint64_t draw = 0; draw < 20; ++draw) {
    std::vector<std::int64_t> values;
    std::unordered_map<std::uint32_t, std::int64_t> known;
    for (const Facts::Symbol& s : problem.facts.symbols()) {
      const std::int64_t lo = bound(s.lo, known), hi = bound(s.hi, known);
      ASSERT_LE(lo, hi);
      // Draws 0 and 1: the same end of every range.
      const std::uint64_t pick = draw < 2 ? draw : rng() % 4;
      const std::uint64_t width = std::uint64_t(hi) - std::uint64_t(lo) + 1;
      values.push_back(pick == 0 ? lo : pick == 1 ? hi : lo + std::int64_t(rng() % width));
      known[s.symbol.id()] = values.back();
    }
    if (!tape.evaluate(values)) continue;  // the expression itself leaves 64 bits
    bool allowed = true;
    for (std::size_t i = 2; i < roots.size(); ++i) allowed = allowed && tape.root(i) != 0;
    if (!allowed) continue;
    EXPECT_EQ(tape.root(0), tape.root(1));
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

TEST(Budget, NoExpressionTakesMoreThanItsWork) {
  constexpr std::uint64_t kMost = 2'700'000;  // 2,000,000, writing, and what ends both
  for (const growth::Family& family : growth::families()) {
    for (const std::size_t nodes : {100, 1000, 10'000}) {
      if (nodes > 1000 && !is_sample_large()) continue;  // minutes under sanitizers
      SCOPED_TRACE(testing::Message() << family.name << " of " << nodes);
      const growth::Problem problem = family.make(nodes);
      const std::uint64_t before = work_done;
      const Expr simplified = Simplifier(problem.facts).simplify(problem.expression);
      EXPECT_LE(work_done - before, kMost);
      expect_equal_values(problem, simplified);
    }
  }
}

// What was given up for want of work is no answer to the next question.
TEST(Budget, AQuestionThatRanOutLeavesNothingBehind) {
  for (const growth::Family& family : growth::families()) {
    const growth::Problem problem = family.make(1000);
    Simplifier simplifier(problem.facts);
    const Expr once = simplifier.simplify(problem.expression);
    EXPECT_TRUE(same(simplifier.simplify(problem.expression), once)) << family.name;
    EXPECT_TRUE(same(Simplifier(problem.facts).simplify(problem.expression), once)) << family.name;
  }
}

// A tree that shares its parts is not gone over path by path.
TEST(Budget, SharedProductsThatAreKeptAreReadOnce) {
  ExprPool pool;
  Facts facts(pool);
  const Expr i = pool.symbol("i"), j = pool.symbol("j");
  for (Expr loop : {i, j}) facts.loop(loop, pool.constant(100));
  Expr p = i;
  for (int k = 0; k < 40; ++k) p = (p * 3037000499 + i) * (p * 3037000499 + j);
  const std::uint64_t before = work_done;
  Simplifier simplifier(facts);
  simplifier.prove(p / 7 <= pool.constant(3));
  simplifier.simplify(p / 7 <= i && p / 7 % 5 < j && i / 2 * 2 + j < 50);
  facts.assume(p / 7 <= i + j);
  EXPECT_TRUE(same(Simplifier(facts).simplify(i * 2 / 2), i));
  EXPECT_LE(work_done - before, 4'000'000);
}

// The bounds of symbols add up too.
TEST(Budget, DeepBoundsOfSymbolsAreTakenFromTheBottomUp) {
  ExprPool pool;
  Facts facts(pool);
  Expr last = pool.symbol("k0");
  facts.loop(last, pool.constant(100));
  for (int t = 1; t <= 10; ++t) {
    Expr bound = last;
    for (int n = 0; n < 3000; ++n) bound = bound / 3 + 1;
    last = pool.symbol("k" + std::to_string(t));
    facts.bound(last, pool.constant(0), bound);
  }
  Simplifier simplifier(facts);
  EXPECT_EQ(simplifier.interval(last), (Interval{0, 1}));
  EXPECT_TRUE(simplifier.proves(last < 3));
}

// Nothing that is given overruns the stack.
TEST(Budget, WhatIsNestedTooDeeplyStaysAsItIs) {
  ExprPool pool;
  Facts facts(pool);
  const Expr i = pool.symbol("i");
  facts.loop(i, pool.constant(1 << 20));
  Expr deep = i;
  for (int k = 0; k < 100'000; ++k) deep = deep / 2 * 3 + i;
  Simplifier simplifier(facts);
  EXPECT_TRUE(same(simplifier.simplify(deep), deep));
  EXPECT_TRUE(same(simplifier.normal_form(deep), deep));
  EXPECT_EQ(simplifier.interval(deep), Interval::everything());
  EXPECT_FALSE(simplifier.proves(pool.constant(0) <= deep));
  EXPECT_FALSE(is_proved(simplifier.prove(pool.constant(0) <= deep)));
  facts.assume(deep < 7);
  EXPECT_TRUE(same(Simplifier(facts).simplify(i * 2 / 2), i));
}

TEST(Budget, WorkIsTheSameEachTime) {
  const growth::Family& hard =
      *std::ranges::find(growth::families(), std::string("truth/simplex"), &growth::Family::name);
  std::uint64_t work[2];
  std::uint32_t size[2];
  for (int run = 0; run < 2; ++run) {
    const growth::Problem problem = hard.make(10'000);
    const std::uint64_t before = work_done;
    size[run] = Simplifier(problem.facts).simplify(problem.expression).size();
    work[run] = work_done - before;
  }
  EXPECT_EQ(work[0], work[1]);
  EXPECT_EQ(size[0], size[1]);
}

}  // namespace
}  // namespace selvage
