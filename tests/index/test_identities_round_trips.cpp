// Every transform crossed there and back, in both orders: with numbers at every small point, and
// with symbols, where the simplifier has to see that nothing is left but the loop variable itself.
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/index/coordinates.h>

#include <gtest/gtest.h>

#include "tests/index/claims.h"
#include "tests/oracle/brute_force.h"
#include "tests/support/engine_graph.h"
#include "tests/support/steps.h"

namespace selvage {
namespace {

// Sizes M, N and F of at least 1, and iterdomains of them.
struct Symbols {
  Symbols() {
    for (Expr size : {M, N, F}) facts->bound(size, pool->constant(1), {});
  }
  Expr c(std::int64_t v) { return pool->constant(v); }
  // The indices of `wanted` where the loops are `loops`, each called by its own name.
  std::string indices(std::vector<DomainId> loops, std::vector<DomainId> wanted) {
    Facts ranges = *facts;
    std::vector<Expr> variables;
    for (DomainId d : loops) {
      variables.push_back(pool->symbol(g[d].name));
      ranges.loop(variables.back(), g[d].extent);
    }
    Simplifier simplifier(std::move(ranges));
    const Coordinates coordinates(g, everything_from(g, loops, {}), loops, variables, simplifier);
    std::string text;
    for (DomainId d : wanted) text += (text.empty() ? "" : ", ") + to_string(coordinates[d]);
    return text;
  }

  std::shared_ptr<ExprPool> pool = std::make_shared<ExprPool>();
  Expr M = pool->symbol("M"), N = pool->symbol("N"), F = pool->symbol("F");
  std::shared_ptr<Facts> facts = std::make_shared<Facts>(*pool);
  DomainGraph g{pool, facts};
};

TEST(RoundTrips, AMergeOfASplitIsTheIndexItself) {
  Symbols s;
  const DomainId x = s.g.add("x", s.N);
  for (bool inner_split : {true, false}) {
    for (Expr factor : {s.c(4), s.F}) {
      const auto [o, i] = s.g.split(x, factor, inner_split);
      const DomainId m = s.g.merge(o, i, "m");
      EXPECT_EQ(s.indices({m}, {x}), "m");
    }
  }
}

TEST(RoundTrips, ASplitOfAMergeByTheInnerExtentIsBothIndices) {
  Symbols s;
  const DomainId a = s.g.add("a", s.M), b = s.g.add("b", s.N);
  const DomainId m = s.g.merge(a, b);
  const auto [o, i] = s.g.split(m, s.N, true, "o", "i");
  EXPECT_EQ(s.indices({o, i}, {a, b, m}), "o, i, N * o + i");
  EXPECT_EQ(to_string(s.g[o].extent), "M");
  // Cut by the number of rows instead, it is the same.
  const auto [p, q] = s.g.split(m, s.M, false, "p", "q");
  EXPECT_EQ(s.indices({p, q}, {a, b}), "p, q");
}

TEST(RoundTrips, AResizeThereAndBackIsTheIndexItself) {
  Symbols s;
  const DomainId x = s.g.add("x", s.N);
  const DomainId wider = s.g.resize(x, s.F, s.M);
  const DomainId back = s.g.resize(wider, 0 - s.F, 0 - s.M, "back");
  EXPECT_EQ(s.indices({back}, {x}), "back");
  EXPECT_EQ(to_string(s.g[back].extent), "N");
}

TEST(RoundTrips, AnXorTwiceIsTheIndexItself) {
  Symbols s;
  const DomainId x = s.g.add("x", s.c(8)), y = s.g.add("y", s.c(8));
  const auto [u, v] = s.g.swizzle(SwizzleKind::Xor, x, y);
  const auto [p, q] = s.g.swizzle(SwizzleKind::Xor, u, v, "p", "q");
  EXPECT_EQ(s.indices({p, q}, {x, y}), "p, q");
}

// Forward and then backward, or the other way round: from loop variables to themselves.
std::string there_and_back(DomainGraph& g, Direction first, std::vector<Expr> variables,
                           Simplifier& simplifier) {
  const Direction second = first == Direction::Forward ? Direction::Backward : Direction::Forward;
  std::vector<Expr> there = step_formula(g, {TransformId(0), first}, variables);
  if (std::holds_alternative<Skew>(g[TransformId(0)])) there.push_back(variables[1]);
  std::vector<Expr> back = step_formula(g, {TransformId(0), second}, there);
  std::string text;
  for (Expr e : back) text += (text.empty() ? "" : ", ") + to_string(simplifier.simplify(e));
  return text;
}

TEST(RoundTrips, ThereAndBackSimplifiesToTheLoopVariablesForEveryTransform) {
  const auto expect_identity = [](const std::function<void(Symbols&, DomainId, DomainId)>& make) {
    for (Direction first : {Direction::Forward, Direction::Backward}) {
      Symbols s;
      const DomainId x = s.g.add("x", s.c(8)), y = s.g.add("y", s.N * 8);
      make(s, x, y);
      Facts ranges = *s.facts;
      std::vector<Expr> variables;
      const Step step{TransformId(0), first};
      std::string names;
      for (DomainId d : sources(s.g, step)) {
        variables.push_back(s.pool->symbol("v_" + s.g[d].name));
        ranges.loop(variables.back(), s.g[d].extent);
        names += (names.empty() ? "" : ", ") + to_string(variables.back());
      }
      Simplifier simplifier(std::move(ranges));
      if (std::holds_alternative<Skew>(s.g[TransformId(0)])) {
        names = to_string(variables[0]);  // what a skew goes along is left as it is
      }
      EXPECT_EQ(there_and_back(s.g, first, variables, simplifier), names);
    }
  };
  expect_identity([](Symbols& s, DomainId, DomainId y) { s.g.split(y, s.F); });
  expect_identity([](Symbols& s, DomainId, DomainId y) { s.g.split(y, s.c(4), false); });
  expect_identity([](Symbols& s, DomainId x, DomainId y) { s.g.merge(x, y); });
  expect_identity([](Symbols& s, DomainId, DomainId y) { s.g.resize(y, s.F, s.c(-3)); });
  expect_identity([](Symbols& s, DomainId x, DomainId y) { s.g.swizzle(SwizzleKind::Xor, x, y); });
  expect_identity(
      [](Symbols& s, DomainId x, DomainId y) { s.g.swizzle(SwizzleKind::CyclicShift, x, y); });
  expect_identity([](Symbols& s, DomainId x, DomainId y) { s.g.skew(y, x, s.N, s.c(4)); });
}

// With numbers: what the engine computes from what it has computed, at every point of a box that
// reaches past the bounds. Digits come back where the last one is a digit, and a cyclic shift where
// what it shifts is within its extent; all else comes back always.
TEST(RoundTrips, ThereAndBackIsWhereItStartedAtEverySmallPoint) {
  for (const World& world : small_worlds()) {
    const EngineGraph engine(world.graph);
    const std::size_t starts = engine.loops.size();
    const Direction second =
        world.direction == Direction::Forward ? Direction::Backward : Direction::Forward;
    const auto there =
        step_formula(*engine.graph, {TransformId(0), world.direction}, engine.variables);
    const bool is_skew = world.over == Law::Over::Skew;
    std::vector<Expr> known = there;
    if (is_skew) known.push_back(engine.variables[1]);
    const auto back = step_formula(*engine.graph, {TransformId(0), second}, known);
    std::vector<Expr> roots = there;
    roots.insert(roots.end(), back.begin(), back.end());
    Tape tape(roots, engine.variables);
    for (const auto& point : world.points) {
      std::vector<std::int64_t> start, made;
      for (DomainId d : engine.loops) start.push_back(point[std::size_t(engine.oracle_id(d))]);
      for (DomainId d : results(*engine.graph, engine.path.steps[0])) {
        made.push_back(point[std::size_t(engine.oracle_id(d))]);
      }
      ASSERT_TRUE(tape.evaluate(start));
      for (std::size_t k = 0; k < made.size(); ++k) {
        ASSERT_EQ(tape.root(k), made[k]) << world.text();  // the oracle agrees
      }
      const bool remainder = world.over == Law::Over::CyclicShift ||
                             (starts == 2 && made.size() == 1 && !is_skew);  // digits to a number
      const std::int64_t last = (*engine.graph)[engine.loops.back()].extent.value();
      if (remainder && (start.back() < 0 || start.back() >= last)) continue;
      for (std::size_t k = 0; k < back.size(); ++k) {
        ASSERT_EQ(tape.root(made.size() + k), start[k]) << world.text();
      }
    }
  }
}

// An inner split by m inside one by n, against one by m*n (its outer part is the same cut).
TEST(RoundTrips, SplittingTwiceIsSplittingByTheProduct) {
  for (std::int64_t x = 1; x <= 12; ++x) {
    for (std::int64_t n = 1; n <= 4; ++n) {
      for (std::int64_t m = 1; m <= 4; ++m) {
        oracle::Graph twice = oracle::make_graph({x}), once = oracle::make_graph({x});
        const int outer = oracle::apply(twice, oracle::split(0, n))[0];
        oracle::apply(twice, oracle::split(outer, m));
        const int inner = oracle::apply(once, oracle::split(0, n * m))[1];
        oracle::apply(once, oracle::split(inner, n));
        EngineGraph a(twice), b(once);
        ASSERT_EQ(oracle::loop_points(twice), oracle::loop_points(once));
        EXPECT_EQ((*a.graph)[a.loops[0]].extent.value(), (*b.graph)[b.loops[0]].extent.value());
        const auto valid = [](const oracle::Graph& g) {
          std::vector<std::int64_t> items;
          oracle::for_each_point(
              g, [&](std::span<const std::int64_t>, std::span<const std::int64_t> c,
                     std::uint64_t holes) { items.push_back(holes == 0 ? c[0] : -1); });
          return items;
        };
        EXPECT_EQ(valid(twice), valid(once));
      }
    }
  }
}

}  // namespace
}  // namespace selvage
