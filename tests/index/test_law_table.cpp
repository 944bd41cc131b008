// Every row of the law table, at every point of every small transform; and what the engine makes of
// the table on a path.
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/index/laws.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/index/claims.h"
#include "tests/oracle/brute_force.h"
#include "tests/support/counts.h"
#include "tests/support/engine_graph.h"
#include "tests/support/steps.h"

namespace selvage {
namespace {

bool speaks_of(const Law& law, const World& world) {
  const bool swizzle = world.over == Law::Over::Xor || world.over == Law::Over::CyclicShift;
  return law.over == world.over || (law.over == Law::Over::Swizzle && swizzle);
}

const std::vector<World>& worlds_of(const Law& law) {
  if (law.over == Law::Over::Groups) return group_worlds();
  return law.over == Law::Over::Rows ? row_worlds() : small_worlds();
}

bool has_direction_of(const Law& law, const World& world) {
  return !law.direction || *law.direction == world.direction;
}

bool meets_condition(const Law& law, const World& world) {
  static ExprPool pool;
  std::vector<Expr> symbols = {pool.symbol("L"), pool.symbol("R")};
  std::vector<std::int64_t> values = {world.step().left, world.step().right};
  for (char letter : world.letters) {
    symbols.push_back(pool.symbol(std::string(1, letter)));
    values.push_back(world.extent(letter));
  }
  return *evaluate(parse_expr(pool, law.when), symbols, values) != 0;
}

std::vector<std::string> bounds_in(std::string_view premises) {
  std::vector<std::string> list;
  for (std::size_t k = 0; k < premises.size(); k += 6) list.emplace_back(premises.substr(k, 4));
  return list;
}

class LawTable : public testing::TestWithParam<std::size_t> {
 protected:
  const Law& law() const { return laws()[GetParam()]; }
};

TEST_P(LawTable, HoldsAtEveryPointOfEverySmallTransform) {
  int looked_at = 0;
  for (const World& world : worlds_of(law())) {
    if (!speaks_of(law(), world) || !has_direction_of(law(), world)) continue;
    if (!meets_condition(law(), world)) continue;
    ++looked_at;
    ASSERT_EQ(counterexample(world, law().premises, law().conclusion), "");
  }
  EXPECT_GT(looked_at, 0);
}

TEST_P(LawTable, FailsWhereverItsConditionFails) {
  for (const World& world : worlds_of(law())) {
    if (!speaks_of(law(), world) || !has_direction_of(law(), world)) continue;
    if (meets_condition(law(), world)) continue;
    EXPECT_NE(counterexample(world, law().premises, law().conclusion), "") << world.text();
  }
}

TEST_P(LawTable, IsLimitedToOneDirectionOnlyWhereTheOtherNeedsIt) {
  if (!law().direction) return;
  EXPECT_TRUE(
      std::any_of(worlds_of(law()).begin(), worlds_of(law()).end(), [&](const World& world) {
        return speaks_of(law(), world) && !has_direction_of(law(), world) &&
               meets_condition(law(), world) &&
               !counterexample(world, law().premises, law().conclusion).empty();
      }));
}

TEST_P(LawTable, NeedsEachOfItsPremises) {
  const std::vector<std::string> all = bounds_in(law().premises);
  for (const std::string& dropped : all) {
    std::string others;
    for (const std::string& b : all) {
      if (b != dropped) others += (others.empty() ? "" : ", ") + b;
    }
    EXPECT_TRUE(std::any_of(worlds_of(law()).begin(), worlds_of(law()).end(),
                            [&](const World& world) {
                              return speaks_of(law(), world) && has_direction_of(law(), world) &&
                                     meets_condition(law(), world) &&
                                     !counterexample(world, others, law().conclusion).empty();
                            }))
        << "without " << dropped;
  }
}

// One test per row, named after it: theorem_1_Split_hi_x_lo_i_gives_hi_o.
std::string row_name(const testing::TestParamInfo<std::size_t>& info) {
  static const char* const kOver[] = {"Split",       "Merge", "Resize", "Swizzle", "Xor",
                                      "CyclicShift", "Skew",  "Rows",   "Groups"};
  const Law& law = laws()[info.param];
  std::string name = std::string(law.name) + " " + kOver[std::size_t(law.over)];
  if (law.direction) name += *law.direction == Direction::Forward ? " forward" : " backward";
  for (const std::string& b : bounds_in(law.premises)) name += " " + b;
  name += " gives " + std::string(law.conclusion);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Rows, LawTable, testing::Range<std::size_t>(0, laws().size()), row_name);

// The engine takes exactly the rows whose condition holds.
TEST(LawTableOnAPath, TakesTheRowsWhoseConditionHolds) {
  for (const World& world : small_worlds()) {
    const EngineGraph engine(world.graph);
    std::size_t expected = 0;
    for (const Law& law : laws()) {
      expected +=
          speaks_of(law, world) && has_direction_of(law, world) && meets_condition(law, world);
    }
    EXPECT_EQ(implications(*engine.graph, engine.path, *engine.simplifier).size(), expected)
        << world.text();
  }
}

// Deep in a graph too, where sources are computed and may be holes.
TEST(LawTableOnAPath, HoldsAtEveryLoopPointOfRandomGraphs) {
  std::mt19937_64 rng(11);
  oracle::Limits limits;
  limits.max_points = 4'000;
  for (int k = 0; k < count(100, 2'000) && !testing::Test::HasFailure(); ++k) {
    const oracle::Graph g = oracle::random_graph(rng, limits);
    const EngineGraph engine(g);
    const auto all = implications(*engine.graph, engine.path, *engine.simplifier);
    oracle::for_each_point(
        g, [&](std::span<const std::int64_t>, std::span<const std::int64_t> indices) {
          const auto holds = [&](BoundId b) {
            const auto d = std::size_t(engine.oracle_id(engine.path.domains[b / 2]));
            return Half(b % 2) == Half::Lo ? 0 <= indices[d] : indices[d] < g.extents[d];
          };
          for (const Implication& i : all) {
            if (std::all_of(i.premises.begin(), i.premises.end(), holds)) {
              ASSERT_TRUE(holds(i.conclusion)) << i.law->name << "\n" << oracle::to_yaml(g);
            }
          }
        });
  }
}

TEST(LawClosure, AddsUpAndSaysWhatEachBoundFollowsFrom) {
  oracle::Graph g = oracle::make_graph({15});  // 15 by 6
  oracle::apply(g, oracle::split(0, 6));
  const EngineGraph engine(g);
  const auto all = implications(*engine.graph, engine.path, *engine.simplifier);
  const std::size_t outer = 0, inner = 1, whole = 2;  // in path.domains: the loops, then the 15
  LawClosure closure(all, engine.path.domains.size());
  const BoundId first[] = {bound_id(inner, Half::Lo), bound_id(inner, Half::Hi)};
  closure.add(first);
  EXPECT_FALSE(closure.holds(outer));
  const BoundId second[] = {bound_id(whole, Half::Lo), bound_id(whole, Half::Hi)};
  closure.add(second);
  EXPECT_TRUE(closure.holds(outer));
  EXPECT_EQ(closure.reason(first[0]), nullptr);
  ASSERT_NE(closure.reason(bound_id(outer, Half::Hi)), nullptr);
  EXPECT_EQ(closure.reason(bound_id(outer, Half::Hi))->law->name, "theorem 1");
}

}  // namespace
}  // namespace selvage
