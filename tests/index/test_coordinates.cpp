// Coordinates along paths, as expressions: equal to the oracle's, and never larger than the path.
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/index/coordinates.h>

#include <gtest/gtest.h>

#include <random>

#include "tests/oracle/brute_force.h"
#include "tests/support/counts.h"
#include "tests/support/engine_graph.h"
#include "tests/support/steps.h"

namespace selvage {
namespace {

// x and y; then again and again: both merged, the result split by another factor, the two parts
// swapped. Every index depends on both of the step before.
struct Crossed {
  explicit Crossed(int rounds) {
    loops = {g.add("x", pool->constant(16)), g.add("y", pool->constant(15))};
    DomainId a = loops[0], b = loops[1];
    for (int k = 0; k < rounds; ++k) {
      const DomainId m = g.merge(a, b, "m");
      std::tie(b, a) = g.split(m, pool->constant(k % 2 == 0 ? 15 : 16), true, "p", "q");
      // The wider of the two digits first, so that no merge undoes the split before it.
    }
    last = {a, b};
    Facts facts(*pool);
    for (DomainId d : loops) {
      variables.push_back(pool->symbol("v_" + g[d].name));
      facts.loop(variables.back(), g[d].extent);
    }
    path = everything_from(g, loops, {});
    Simplifier simplifier(std::move(facts));
    coordinates = std::make_unique<Coordinates>(g, path, loops, variables, simplifier);
  }
  std::size_t nodes() const {
    std::vector<Expr> roots;
    for (DomainId d : path.domains) roots.push_back((*coordinates)[d]);
    return reachable(roots, true).size();
  }

  std::shared_ptr<ExprPool> pool = std::make_shared<ExprPool>();
  DomainGraph g{pool, std::make_shared<Facts>(*pool)};
  std::vector<DomainId> loops, last;
  std::vector<Expr> variables;
  Path path;
  std::unique_ptr<Coordinates> coordinates;
};

TEST(Coordinates, OfCrossedTransformsGrowWithTheirNumber) {
  const std::size_t few = Crossed(125).nodes(), twice = Crossed(250).nodes();
  const Crossed many(500);  // 1,000 transforms
  EXPECT_EQ(many.path.steps.size(), 1'000u);
  EXPECT_LE(many.nodes(), 60u * 500);
  // As much again for as many again.
  const std::size_t step = twice - few;
  EXPECT_NEAR(double(many.nodes() - twice), 2.0 * double(step), 0.1 * double(step) + 20);
  for (DomainId d : many.path.domains) {
    EXPECT_LE((*many.coordinates)[d].size(), Coordinates::kLargestCoordinate);
  }
}

TEST(Coordinates, OfCrossedTransformsAreRightAtEveryPoint) {
  const Crossed c(40);
  std::vector<Expr> roots;
  for (DomainId d : c.last) roots.push_back((*c.coordinates)[d]);
  Tape tape(roots, c.variables);
  for (std::int64_t x = 0; x < 16; ++x) {
    for (std::int64_t y = 0; y < 15; ++y) {
      const std::int64_t point[] = {x, y};
      ASSERT_TRUE(tape.evaluate(point));
      std::int64_t a = x, b = y;
      std::int64_t inner = 15;  // |b|
      for (int k = 0; k < 40; ++k) {
        const std::int64_t m = a * inner + b, factor = k % 2 == 0 ? 15 : 16;
        a = m % factor, b = m / factor;
        inner = 240 / factor;
      }
      ASSERT_EQ(tape.root(0), a);
      ASSERT_EQ(tape.root(1), b);
    }
  }
}

TEST(Coordinates, EqualTheOraclesAtEveryPointOfRandomGraphs) {
  std::mt19937_64 rng(31);
  oracle::Limits limits;
  limits.max_points = 3'000;
  for (int k = 0; k < count(150, 3'000) && !HasFailure(); ++k) {
    const oracle::Graph g =
        k % 3 == 2 ? oracle::random_view_graph(rng, limits) : oracle::random_graph(rng, limits);
    const EngineGraph engine(g);
    std::vector<Expr> roots;
    for (DomainId d : engine.ids) {
      ASSERT_TRUE(engine.coordinates->has(d));
      roots.push_back((*engine.coordinates)[d]);
    }
    Tape tape(roots, engine.variables);
    oracle::for_each_point(
        g, [&](std::span<const std::int64_t> loops, std::span<const std::int64_t> indices) {
          ASSERT_TRUE(tape.evaluate(loops));
          for (std::size_t i = 0; i < roots.size(); ++i) {
            ASSERT_EQ(tape.root(i), indices[i]) << g.names[i] << "\n" << oracle::to_yaml(g);
          }
        });
  }
}

TEST(Coordinates, AreWhatAPersonWouldWrite) {
  oracle::Graph g = oracle::make_graph({12, 8});
  oracle::apply(g, oracle::split(oracle::apply(g, oracle::merge(0, 1))[0], 4));
  const EngineGraph e(g);
  EXPECT_EQ(to_string((*e.coordinates)[e.ids[2]]), "v_I3 * 4 + v_I4");
  EXPECT_EQ(to_string((*e.coordinates)[e.ids[0]]), "v_I3 / 2");
  EXPECT_EQ(to_string((*e.coordinates)[e.ids[1]]), "v_I3 % 2 * 4 + v_I4");
}

TEST(Coordinates, OkIsBothHalves) {
  ExprPool pool;
  EXPECT_EQ(to_string(ok(pool.symbol("i"), pool.symbol("N"))), "0 <= i && i < N");
}

}  // namespace
}  // namespace selvage
