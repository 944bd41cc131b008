// Coordinates as integers, their bounds under assumptions, and the search for a broken bound: each
// against every loop point of random graphs.
#include <selvage/index/hole_search.h>
#include <selvage/index/hole_system.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/oracle/brute_force.h"
#include "tests/support/counts.h"
#include "tests/support/engine_graph.h"

namespace selvage {
namespace {

struct Assumption {
  std::size_t variable;
  Half half;
  bool denied;

  bool holds(const HoleSystem& system, std::int64_t index) const {
    const bool in = half == Half::Lo ? 0 <= index : index < system.extent(variable);
    return in != denied;
  }
};

struct Case {
  explicit Case(const oracle::Graph& g)
      : engine(g),
        system(*engine.graph, engine.path, engine.loops.size(), [](Expr e) { return e.value(); }) {
    oracle::for_each_point(
        g, [&](std::span<const std::int64_t> loops, std::span<const std::int64_t> indices) {
          loop_points.emplace_back(loops.begin(), loops.end());
          points.emplace_back();
          for (DomainId d : engine.path.domains) {
            points.back().push_back(indices[std::size_t(engine.oracle_id(d))]);
          }
        });
  }
  EngineGraph engine;
  HoleSystem system;
  std::vector<std::vector<std::int64_t>> loop_points, points;  // indices as in path.domains
};

oracle::Graph small_graph(std::mt19937_64& rng, int k) {
  oracle::Limits limits;
  limits.max_extent = 20;
  limits.max_points = 2'000;
  return k % 4 == 3 ? oracle::random_view_graph(rng, limits) : oracle::random_graph(rng, limits);
}

std::vector<Assumption> random_assumptions(std::mt19937_64& rng, const Case& c) {
  std::vector<Assumption> list;
  for (std::int64_t k = oracle::draw(rng, 0, 5); k > 0; --k) {
    list.push_back({std::size_t(oracle::draw(rng, 0, std::int64_t(c.system.size()) - 1)),
                    oracle::draw(rng, 0, 1) == 0 ? Half::Lo : Half::Hi,
                    oracle::draw(rng, 0, 3) == 0});
  }
  return list;
}

bool all_hold(const Case& c, const std::vector<Assumption>& assumptions,
              const std::vector<std::int64_t>& point) {
  return std::all_of(assumptions.begin(), assumptions.end(),
                     [&](const Assumption& a) { return a.holds(c.system, point[a.variable]); });
}

Bounds bounds_under(const Case& c, const std::vector<Assumption>& assumptions) {
  Bounds bounds(c.system);
  for (const Assumption& a : assumptions) {
    if (bounds.empty()) break;
    if (a.denied) {
      bounds.deny(a.variable, a.half);
    } else {
      bounds.assume(a.variable, a.half);
    }
  }
  return bounds;
}

TEST(HoleSystem, ComputesTheOraclesCoordinatesAtEveryPoint) {
  std::mt19937_64 rng(21);
  for (int k = 0; k < count(150, 3'000) && !HasFailure(); ++k) {
    const oracle::Graph g = small_graph(rng, k);
    const Case c(g);
    for (std::size_t p = 0; p < c.points.size(); ++p) {
      ASSERT_EQ(c.system.at(c.loop_points[p]), c.points[p]) << oracle::to_yaml(g);
    }
  }
}

TEST(HoleSystem, SaysNothingWhereACoordinateLeavesSixtyFourBits) {
  const auto pool = std::make_shared<ExprPool>();
  DomainGraph g(pool, std::make_shared<Facts>(*pool));
  const DomainId x = g.add("x", pool->constant(std::int64_t{1} << 61));
  const auto [o, i] = g.split(x, pool->constant(2));
  const std::vector<DomainId> loops = {o, i};
  const HoleSystem system(g, everything_from(g, loops, {}), 2, [](Expr e) { return e.value(); });
  const std::int64_t inside[] = {5, 1}, past[] = {INT64_MAX, 0};
  EXPECT_EQ((*system.at(inside))[2], 11);
  EXPECT_FALSE(system.at(past).has_value());
}

TEST(HoleSystem, AXorIsUndoneByItself) {
  const auto pool = std::make_shared<ExprPool>();
  DomainGraph g(pool, std::make_shared<Facts>(*pool));
  const DomainId x = g.add("x", pool->constant(4)), y = g.add("y", pool->constant(4));
  const auto [u, v] = g.swizzle(SwizzleKind::Xor, x, y);
  const auto at = [&](std::vector<DomainId> from, std::vector<std::int64_t> point) {
    const HoleSystem system(g, everything_from(g, from, {}), 2, [](Expr e) { return e.value(); });
    return system.at(point).value();
  };
  EXPECT_EQ(at({x, y}, {3, 1}), (std::vector<std::int64_t>{3, 1, 3, 2}));
  EXPECT_EQ(at({u, v}, {3, 2}), (std::vector<std::int64_t>{3, 2, 3, 1}));
}

// What is narrowed away is never the value of a loop point that meets the assumptions.
TEST(Bounds, LoseNoValueThatARealPointTakes) {
  std::mt19937_64 rng(22);
  for (int k = 0; k < count(150, 4'000) && !HasFailure(); ++k) {
    const oracle::Graph g = small_graph(rng, k);
    const Case c(g);
    for (int tries = 0; tries < 6; ++tries) {
      const std::vector<Assumption> assumptions = random_assumptions(rng, c);
      const Bounds bounds = bounds_under(c, assumptions);
      for (const auto& point : c.points) {
        if (!all_hold(c, assumptions, point)) continue;
        ASSERT_FALSE(bounds.empty()) << oracle::to_yaml(g);
        for (std::size_t v = 0; v < point.size(); ++v) {
          ASSERT_TRUE(bounds[v].contains(point[v]))
              << (*c.engine.graph)[c.engine.path.domains[v]].name << " = " << point[v] << "\n"
              << oracle::to_yaml(g);
          for (Half half : {Half::Lo, Half::Hi}) {
            ASSERT_TRUE(!bounds.implies(v, half) ||
                        (Assumption{v, half, false}).holds(c.system, point[v]))
                << oracle::to_yaml(g);
          }
        }
      }
    }
  }
}

TEST(Bounds, OfPlainGraphsAreTheValuesTaken) {
  std::mt19937_64 rng(23);
  oracle::Limits limits;
  limits.max_logical = 1;
  limits.max_transforms = 1;
  limits.max_points = 500;
  for (int k = 0; k < count(200, 2'000); ++k) {
    const oracle::Graph g = oracle::random_graph(rng, limits);
    const Case c(g);
    const Bounds bounds(c.system);
    for (std::size_t v = 0; v < c.system.size(); ++v) {
      const auto [least, most] = std::minmax_element(c.points.begin(), c.points.end(),
                                                     [&](auto& a, auto& b) { return a[v] < b[v]; });
      EXPECT_EQ(bounds[v].lo, (*least)[v]) << oracle::to_yaml(g);
      EXPECT_EQ(bounds[v].hi, (*most)[v]) << oracle::to_yaml(g);
    }
  }
}

// The search finds a point exactly where there is one, and the point is one.
TEST(FindViolation, AgreesWithEnumeration) {
  std::mt19937_64 rng(24);
  int found_some = 0, found_none = 0;
  for (int k = 0; k < count(150, 3'000) && !HasFailure(); ++k) {
    const oracle::Graph g = small_graph(rng, k);
    const Case c(g);
    std::vector<Assumption> assumptions = random_assumptions(rng, c);
    const Bounds start = bounds_under(c, assumptions);
    for (std::size_t v = 0; v < c.system.size(); ++v) {
      for (Half half : {Half::Lo, Half::Hi}) {
        const Assumption broken{v, half, true};
        const bool exists = std::any_of(c.points.begin(), c.points.end(), [&](const auto& point) {
          return all_hold(c, assumptions, point) && broken.holds(c.system, point[v]);
        });
        std::uint64_t budget = 10'000'000;
        const SearchResult r = find_violation(c.system, start, v, half, budget);
        ASSERT_EQ(r.answer, exists ? Answer::Found : Answer::None) << oracle::to_yaml(g);
        (exists ? found_some : found_none) += 1;
        if (!exists) continue;
        const auto indices = c.system.at(r.point);
        ASSERT_TRUE(indices && all_hold(c, assumptions, *indices));
        ASSERT_TRUE(broken.holds(c.system, (*indices)[v])) << oracle::to_yaml(g);
      }
    }
  }
  EXPECT_GT(found_some, 10);
  EXPECT_GT(found_none, 10);
}

TEST(FindViolation, GivesUpWithinItsBudget) {
  std::mt19937_64 rng(25);
  for (int k = 0; k < 50; ++k) {
    const Case c(small_graph(rng, k));
    for (std::size_t v = 0; v < c.system.size(); ++v) {
      std::uint64_t budget = 1;
      const SearchResult r = find_violation(c.system, Bounds(c.system), v, Half::Hi, budget);
      EXPECT_LE(budget, 1u);
      EXPECT_TRUE(r.answer != Answer::GaveUp || budget == 0);
    }
  }
}

// z is narrowed again and again, then x: what is known of it goes down through all its digits.
TEST(HoleBounds, FollowHoweverOftenOthersWereNarrowed) {
  auto pool = std::make_shared<ExprPool>();
  DomainGraph graph(pool, std::make_shared<Facts>(*pool));
  const DomainId x = graph.add("x", pool->constant(256)), z = graph.add("z", pool->constant(4096));
  std::vector<DomainId> loops;
  DomainId rest = x;
  for (int k = 0; k < 7; ++k) {
    const auto [o, i] = graph.split(rest, pool->constant(2));
    loops.push_back(i);
    rest = o;
  }
  const auto [o, i] = graph.split(z, pool->constant(4));
  loops.insert(loops.end(), {rest, o, i});
  const Path path = everything_from(graph, loops, {});
  const HoleSystem system(graph, path, loops.size(), [](Expr e) { return e.value(); });
  const auto at = [&](DomainId d) {
    const auto& all = path.domains;
    return std::size_t(std::find(all.begin(), all.end(), d) - all.begin());
  };
  Bounds bounds(system);
  for (std::int64_t n = 1023; n > 0; --n) {
    ASSERT_TRUE(bounds.narrow(at(z), 0, n * 4 - 1));
    ASSERT_EQ(bounds[at(o)], (Interval{0, n - 1}));
  }
  ASSERT_TRUE(bounds.narrow(at(x), 0, 0));
  for (const DomainId d : {rest, loops[0], loops[6]}) EXPECT_EQ(bounds[at(d)], Interval::point(0));
}

}  // namespace
}  // namespace selvage
