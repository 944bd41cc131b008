// Kept checks and their witnesses with sizes as symbols, where no small instance shows one.
#include <selvage/expr/tape.h>
#include <selvage/index/check_claims.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "tests/oracle/brute_force.h"
#include "tests/support/counts.h"
#include "tests/support/engine_graph.h"

namespace selvage {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

// Everything else that stays holds at a witness, and this one fails; and the point is one that the
// facts allow.
bool is_witness(const EngineGraph& engine, const PredicatePlan& plan, const KeptPredicate& kept) {
  for (std::size_t i = 0; i < engine.loops.size(); ++i) {
    const Expr in_range = ok(engine.variables[i], (*engine.graph)[engine.loops[i]].extent);
    if (!same(kept.witness[i].first, engine.variables[i])) return false;
    if (value_at(in_range, kept.witness) != 1) return false;
  }
  for (const auto& [symbol, value] : kept.witness) {
    const Facts::Symbol* s = engine.facts->find(symbol);
    if (s != nullptr && !(s->range.contains(value) && s->congruence.contains(value))) return false;
  }
  return std::all_of(plan.kept.begin(), plan.kept.end(), [&](const KeptPredicate& other) {
    return value_at(other.condition, kept.witness) == std::int64_t(&other != &kept);
  });
}

TEST(CheckClaims, NoCheckIsWithoutAWitnessThatTheSimplifierFinds) {
  std::mt19937_64 rng(239);
  int kept = 0, without = 0;
  const int graphs = count(400, 6'000);
  for (int n = 0; n < graphs; ++n) {
    const oracle::SymbolicGraph g = oracle::random_symbolic_graph(rng);
    EngineGraph engine(g);
    const PredicatePlan plan = engine.plan();
    bool all = true;
    for (const KeptPredicate& k : plan.kept) {
      ++kept;
      if (!k.witness.empty()) {
        ASSERT_TRUE(is_witness(engine, plan, k)) << oracle::to_yaml(g);
        continue;
      }
      ++without;
      all = false;
      Facts facts = engine.simplifier->facts();
      for (const KeptPredicate& other : plan.kept) {
        if (&other != &k) facts.assume(other.condition);
      }
      const Verdict verdict = Simplifier(std::move(facts)).prove(k.condition);
      ASSERT_FALSE(std::holds_alternative<Refuted>(verdict)) << oracle::to_yaml(g);
    }
    ASSERT_EQ(all, plan.minimal != Minimality::Unknown) << oracle::to_yaml(g);
  }
  std::printf("[FIGURE] kept checks without a witness, symbolic extents: %d of %d\n", without,
              kept);
  EXPECT_LE(without * 50, kept);
}

// a < N and b < 2 let a + b reach N, and only at the last a.
TEST(CheckClaims, APointIsPutInTheOrderOfTheLoops) {
  ExprPool pool;
  const Expr a = pool.symbol("a"), b = pool.symbol("b"), n = pool.symbol("N");
  Facts facts(pool);
  facts.bound(n, pool.constant(1), pool.constant(100));
  facts.loop(a, n);
  facts.loop(b, pool.constant(4));
  Simplifier simplifier(facts);
  const Expr variables[] = {b, a};
  DomainGraph graph(std::make_shared<ExprPool>(), std::make_shared<Facts>(pool));
  const Path path;
  const Coordinates coordinates(graph, path, {}, {}, simplifier);
  const PredicateRequest request{.graph = graph,
                                 .path = path,
                                 .loops = {},
                                 .variables = variables,
                                 .candidates = {},
                                 .coordinates = coordinates,
                                 .simplifier = simplifier};
  CheckClaims claims(request);
  const Expr others[] = {b < 2};
  EXPECT_TRUE(is_proved(claims.ask(others, a + b <= n)));
  const Verdict verdict = claims.ask(others, a + b < n);
  ASSERT_TRUE(std::holds_alternative<Refuted>(verdict));
  const std::vector<std::int64_t> point = values_in(in_order(variables, point_of(verdict)));
  ASSERT_EQ(point.size(), 3u);  // b, a, n
  EXPECT_EQ(point[0], 1);
  EXPECT_EQ(point[1], point[2] - 1);
  const Expr conditions[] = {a + b < n, b < 2, a < n, b < 1};
  EXPECT_EQ(CheckClaims::failing(conditions, std::get<Refuted>(verdict)),
            (std::vector<std::uint32_t>{0, 3}));
  // Both, the first alone at the last a, and the second alone; never a < N.
  const Expr claimed[] = {a + b < n, b < 2, a < n};
  EXPECT_THAT(claims.failing_together(claimed),
              UnorderedElementsAre(ElementsAre(0u, 1u), ElementsAre(0u), ElementsAre(1u)));
}

}  // namespace
}  // namespace selvage
