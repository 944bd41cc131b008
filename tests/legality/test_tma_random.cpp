// Random schedules: what is called legal brings every item to its place, and the holes hold what is
// said of them; few copies are refused that a tensor map could do.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tests/legality/tma_case.h"
#include "tests/oracle/random_graph.h"
#include "tests/support/counts.h"
#include "tests/support/engine_schedule.h"

namespace selvage {
namespace {

// The loops of a random graph, some of them bound to Bulk, the inner ones rather.
struct RandomCopy {
  RandomCopy(std::mt19937_64& rng, const oracle::Graph& g) : engine(g) {
    Schedule& s = *engine.schedule;
    const std::size_t n = engine.loops.size();
    for (std::size_t k = 0; k < n; ++k) {
      if (k + 1 == n || oracle::draw(rng, 0, std::int64_t(n)) <= std::int64_t(k)) {
        s.bind(engine.loops[k], ParallelType::Bulk);
      }
    }
    analysis = analyze(*engine.fusion, s, engine.tensor);
    copy = *tma_copy(*engine.fusion, s, analysis);
  }
  std::optional<std::vector<TmaElement>> tile(bool with_fallback) const {
    return modelled_tile(*engine.fusion, *engine.schedule, analysis, copy, with_fallback);
  }
  EngineSchedule engine;
  TensorAnalysis analysis;
  TmaCopy copy;
};

void expect_sound(const RandomCopy& k, const oracle::Graph& g) {
  const auto plain = k.tile(false), fallback = k.tile(true);
  ASSERT_TRUE(plain && fallback);
  EXPECT_TRUE(is_right(*plain, false)) << oracle::to_yaml(g);
  ASSERT_TRUE(k.copy.strong) << oracle::to_yaml(g);
  EXPECT_EQ(is_right(*plain, true), k.copy.strong == TmaStrong::ByHardware) << oracle::to_yaml(g);
  EXPECT_EQ(is_right(*fallback, true), k.copy.strong != TmaStrong::Impossible)
      << oracle::to_yaml(g);
}

TEST(TmaRandom, VerdictsAreThoseOfTheModel) {
  std::mt19937_64 rng(461);
  oracle::Limits limits;
  limits.max_points = 4'000;
  limits.max_extent = 40;
  limits.max_transforms = 5;
  std::map<std::string, int> codes, strong;
  for (int n = 0; n < count(600, 10'000) && !testing::Test::HasFailure(); ++n) {
    const oracle::Graph g = oracle::random_graph(rng, limits);
    const RandomCopy k(rng, g);
    ++codes[k.copy.weak ? "legal" : k.copy.finding.code];
    if (!k.copy.weak) continue;
    ++strong[std::string(k.copy.strong ? to_string(*k.copy.strong) : "unknown")];
    expect_sound(k, g);
  }
  for (auto& [a, b] : codes) std::cout << a << " " << b << "\n";
  for (auto& [a, b] : strong) std::cout << a << " " << b << "\n";
}

}  // namespace
}  // namespace selvage
