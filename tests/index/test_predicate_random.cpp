// Random graphs against the brute-force oracle: coordinates and predicates right at every point,
// and as few predicates as there can be.
#include <gtest/gtest.h>

#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "tests/oracle/brute_force.h"
#include "tests/support/counts.h"
#include "tests/support/derivations.h"
#include "tests/support/engine_graph.h"

namespace selvage {
namespace {

std::vector<int> kept_ids(const EngineGraph& engine, const PredicatePlan& plan) {
  std::vector<int> ids;
  for (const KeptPredicate& k : plan.kept) ids.push_back(engine.oracle_id(k.domain));
  return ids;
}

// Empty: all is well. Otherwise what is wrong, in a line.
std::string disagreement(const oracle::Graph& g) {
  EngineGraph engine(g);
  const PredicatePlan plan = engine.plan();
  std::vector<Expr> roots;
  for (DomainId d : engine.ids) roots.push_back((*engine.coordinates)[d]);
  const std::size_t conditions = roots.size();
  for (const KeptPredicate& k : plan.kept) roots.push_back(k.condition);
  Tape tape(roots, engine.variables);
  std::string wrong;
  std::vector<char> from_breaks(plan.implied.size(), 0);
  oracle::for_each_point(g, [&](std::span<const std::int64_t> loops,
                                std::span<const std::int64_t> indices, std::uint64_t holes) {
    if (!wrong.empty()) return;
    if (!tape.evaluate(loops)) {
      wrong = "a coordinate overflows";
      return;
    }
    for (std::size_t i = 0; i < conditions; ++i) {
      if (tape.root(i) != indices[i]) wrong = "the coordinate of " + g.names[i] + " is wrong";
    }
    bool passes = true;
    for (std::size_t i = conditions; i < roots.size(); ++i) passes = passes && tape.root(i) != 0;
    if (passes != (holes == 0)) {
      wrong = passes ? "a hole passes the predicates" : "a valid point does not";
    }
    // What implies a dropped check does so at every point.
    const auto in_bounds = [&](DomainId d) {
      const auto i = std::size_t(engine.oracle_id(d));
      return 0 <= indices[i] && indices[i] < g.extents[i];
    };
    for (const ImpliedPredicate& p : plan.implied) {
      if (in_bounds(p.domain)) continue;
      if (std::all_of(p.from.begin(), p.from.end(), in_bounds)) {
        wrong = (*engine.graph)[p.domain].name + " does not follow by " + p.by;
      }
    }
  });
  if (!wrong.empty()) return wrong;

  for (std::size_t k = 0; k < plan.kept.size(); ++k) {
    const KeptPredicate& kept = plan.kept[k];
    if (kept.witness.size() != engine.variables.size()) return "a kept predicate has no witness";
    std::vector<std::int64_t> point;
    for (const auto& [variable, value] : kept.witness) point.push_back(value);
    if (!tape.evaluate(point)) return "a witness overflows";
    for (std::size_t i = 0; i < plan.kept.size(); ++i) {
      if ((tape.root(conditions + i) != 0) != (i != k)) return "a witness is none";
    }
  }
  for (DomainId d : engine.hole_path.domains) {
    const auto is = [&](const auto& p) { return p.domain == d; };
    const bool loop = std::find(engine.loops.begin(), engine.loops.end(), d) != engine.loops.end();
    const bool kept = std::any_of(plan.kept.begin(), plan.kept.end(), is);
    const bool implied = std::any_of(plan.implied.begin(), plan.implied.end(), is);
    if (loop + kept + implied != 1) return (*engine.graph)[d].name + " is not accounted for";
  }
  if (!derivations_end(engine.loops, plan)) return "a derivation runs in a circle";
  const auto masks = oracle::masks_of(oracle::hole_masks(g));
  const std::vector<int> ids = kept_ids(engine, plan);
  if (!oracle::is_irredundant(masks, ids)) return "the predicates are not irredundant";
  if (ids.size() != oracle::minimum_hitting_set(masks).size())
    return "there are too many predicates";
  if (plan.minimal != Minimality::Proved) return "minimality is not proved";
  return {};
}

void expect_agreement(const oracle::Graph& g) {
  const std::string wrong = disagreement(g);
  if (wrong.empty()) return;
  const oracle::Graph small =
      oracle::shrink(g, [](const oracle::Graph& c) { return !disagreement(c).empty(); });
  ADD_FAILURE() << disagreement(small) << "\n" << oracle::to_yaml(small);
}

TEST(RandomPredicates, AreExactAndFewestOnKnownExtents) {
  std::mt19937_64 rng(1);
  const int graphs = count(300, 20'000);
  int searched = 0, surplus = 0;
  for (int i = 0; i < graphs && !HasFailure(); ++i) {
    const oracle::Graph g = oracle::random_graph(rng);
    SCOPED_TRACE("graph " + std::to_string(i));
    expect_agreement(g);
    EngineGraph engine(g);
    searched += engine.plan(true).searched;
    const auto masks = oracle::masks_of(oracle::hole_masks(g));
    const PredicatePlan plain = engine.plan(false);
    EXPECT_TRUE(oracle::is_equivalent(masks, kept_ids(engine, plain)));
    surplus += plain.kept.size() > oracle::minimum_hitting_set(masks).size();
  }
  std::printf(
      "[FIGURE] fewest predicates without search: %.2f %% of %d graphs; search needed by %.2f %%\n",
      100.0 * (graphs - surplus) / graphs, graphs, 100.0 * searched / graphs);
  EXPECT_LE(surplus, std::max(1, graphs / 200));
}

// A search that has given up has shown nothing: no check goes for it.
TEST(RandomPredicates, StopEveryHoleHoweverSoonTheSearchGivesUp) {
  std::mt19937_64 rng(4);
  for (int i = 0; i < count(60, 2'000) && !HasFailure(); ++i) {
    const oracle::Graph g = oracle::random_graph(rng);
    const auto masks = oracle::masks_of(oracle::hole_masks(g));
    EngineGraph engine(g);
    for (std::uint64_t budget = 1; budget <= 1'000; budget *= 4) {
      EXPECT_TRUE(oracle::is_equivalent(masks, kept_ids(engine, engine.plan(true, budget))))
          << budget << " steps\n"
          << oracle::to_yaml(g);
    }
  }
}

TEST(RandomPredicates, AreExactAndFewestOnViews) {
  std::mt19937_64 rng(2);
  for (int i = 0; i < count(60, 3'000) && !HasFailure(); ++i) {
    expect_agreement(oracle::random_view_graph(rng));
  }
}

TEST(RandomPredicates, AreFewestOnGraphsTooLargeToEnumerate) {
  std::mt19937_64 rng(3);
  oracle::Limits limits;
  limits.min_points = 100'000;
  limits.max_points = 10'000'000;
  const int graphs = count(200, 200);
  int fewest = 0;
  for (int i = 0; i < graphs; ++i) {
    const oracle::Graph g = oracle::random_graph(rng, limits);
    EngineGraph engine(g);
    const PredicatePlan plan = engine.plan();
    const auto masks = oracle::masks_of(oracle::hole_masks(g));
    const std::vector<int> ids = kept_ids(engine, plan);
    EXPECT_TRUE(oracle::is_irredundant(masks, ids)) << oracle::to_yaml(g);
    fewest += ids.size() == oracle::minimum_hitting_set(masks).size();
    if (plan.minimal == Minimality::Proved) {
      EXPECT_EQ(ids.size(), oracle::minimum_hitting_set(masks).size());
    }
  }
  std::printf("[FIGURE] fewest predicates on large graphs: %d of %d\n", fewest, graphs);
  EXPECT_GE(fewest, graphs - graphs / 50);
}

}  // namespace
}  // namespace selvage
