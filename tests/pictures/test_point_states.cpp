#include <selvage/pictures/point_states.h>
#include <selvage/report/holes.h>

#include <gtest/gtest.h>

#include "tests/oracle/brute_force.h"
#include "tests/oracle/random_graph.h"
#include "tests/pictures/drawings.h"
#include "tests/support/counts.h"
#include "tests/support/engine_schedule.h"

namespace selvage {
namespace {

using test::Inspected;

PointStates states_of(const TensorReport& tensor) {
  return PointStates::of(tensor.graph(), tensor.tensor(), tensor.analysis).value();
}

TEST(PointStates, AreThoseOfTheOracleAtEveryPoint) {
  std::mt19937_64 random(5);
  for (int round = count(60, 2000); round > 0; --round) {
    const oracle::Graph graph =
        oracle::random_graph(random, {.max_extent = 30, .max_points = 5'000});
    const EngineSchedule engine(graph);
    const TensorReport tensor =
        report_of(*engine.schedule, analyze(*engine.fusion, *engine.schedule, engine.tensor));
    PointStates states = states_of(tensor);
    const auto holes = holes_of(tensor);
    ASSERT_TRUE(holes);
    std::size_t at = 0;
    std::vector<int> names;  // of the oracle, by domain
    for (DomainId d : states.domains()) {
      const auto it = std::find(graph.names.begin(), graph.names.end(), tensor.name_of(d));
      ASSERT_NE(it, graph.names.end());
      names.push_back(int(it - graph.names.begin()));
    }
    oracle::for_each_point(graph, [&](auto point, auto coordinates, std::uint64_t mask) {
      const auto state = states.at(point);
      ASSERT_TRUE(state);
      std::uint64_t out = 0;
      for (std::size_t k : state->out) {
        out |= oracle::bit(names[k]);
        EXPECT_EQ(states.index(k), coordinates[std::size_t(names[k])]);
      }
      EXPECT_EQ(out, mask);
      EXPECT_EQ(state->kind == PointState::Kind::Hole, mask != 0);
      EXPECT_EQ(state->item, holes->items[at++]);
      if (state->kind != PointState::Kind::Hole) {
        EXPECT_EQ(states.address(), state->item);  // it is dense
        EXPECT_TRUE(state->stop.empty());
      } else {
        EXPECT_FALSE(state->stop.empty());
      }
    });
  }
}

TEST(PointStates, OnlyChecksThatStayStopAPoint) {
  const Inspected i(
      "tensors: {T: {dtype: float, logical: {a: 15}, transforms: [{split: {in: a, "
      "factor: 6, out: [b, c]}}, {split: {in: c, factor: 4, out: [d, e]}}]}}\n");
  PointStates states = states_of(i.tensor());
  const auto names = [&](const std::vector<std::size_t>& list) {
    std::string text;
    for (std::size_t k : list) text += i.tensor().name_of(states.domains()[k]);
    return text;
  };
  const PointState state = states.at(std::vector<std::int64_t>{2, 1, 3}).value();
  EXPECT_EQ(names(state.out), "ca");  // c = 7, a = 19
  EXPECT_EQ(names(state.stop), "ca");
  EXPECT_EQ(names(states.at(std::vector<std::int64_t>{0, 1, 2})->stop), "c");
  EXPECT_EQ(names(states.at(std::vector<std::int64_t>{2, 0, 3})->stop), "a");
}

TEST(PointStates, WhereDuplicatesAreAllowedAHoleMayStoreAnItem) {
  const Inspected i(
      "tensors: {T: {dtype: float, duplicates: allowed, logical: {a: 15}, transforms: "
      "[{split: {in: a, factor: 6, out: [b, c]}}, {split: {in: c, factor: 4, out: "
      "[d, e]}}]}}\n");
  PointStates states = states_of(i.tensor());
  const PointState again = states.at(std::vector<std::int64_t>{0, 1, 2}).value();
  EXPECT_EQ(again.kind, PointState::Kind::Repeated);
  EXPECT_EQ(again.item, 6);
  EXPECT_EQ(again.out.size(), 1u);
  EXPECT_EQ(states.at(std::vector<std::int64_t>{2, 1, 3})->kind, PointState::Kind::Hole);
}

TEST(PointStates, ThereAreNoneWhereASizeIsOpen) {
  const std::string text =
      "symbols: {N: {}, K: {}}\n"
      "tensors:\n"
      "  A: {dtype: float, logical: {a: N}}\n"
      "  B: {dtype: float, logical: {a: 8}, transforms: [{resize: {in: a, left: K, right: \"-K\", "
      "out: b}}]}\n"
      "  C: {dtype: float, logical: {a: 8, b: 4}, strides: [K, 1]}\n";
  const Inspected open(text);
  for (const TensorReport& t : open.report.tensors) {
    EXPECT_FALSE(PointStates::of(t.graph(), t.tensor(), t.analysis)) << t.name();
  }
  const Inspected known(text, {{"N", 3}, {"K", 4}});
  ASSERT_EQ(known.report.tensors.size(), 3u);
  for (const TensorReport& t : known.report.tensors) {
    EXPECT_TRUE(PointStates::of(t.graph(), t.tensor(), t.analysis)) << t.name();
  }
}

}  // namespace
}  // namespace selvage
