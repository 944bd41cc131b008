// Bank conflicts of random tiles in shared memory against the brute-force judge: a degree that is
// known is right, hardly one is not known, and a collision that is pointed out is one.
#include <selvage/legality/bank_conflicts.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <set>

#include "tests/oracle/brute_force.h"
#include "tests/oracle/random_access_case.h"
#include "tests/support/counts.h"
#include "tests/support/engine_access.h"

namespace selvage {
namespace {

// Its threads are at points that are no holes, in one phase of one warp, and at different words of
// one bank.
bool is_collision(const oracle::Graph& graph, const oracle::Layout& layout,
                  const TensorAnalysis& analysis, const BankCollision& c) {
  std::set<std::int64_t> words;
  for (const BankCollision::Thread& thread : c.threads) {
    std::vector<std::int64_t> point(analysis.variables.size(), 0);
    for (const auto& [symbol, value] : thread.point) {
      for (std::size_t i = 0; i < point.size(); ++i) {
        if (same(analysis.variables[i], symbol)) point[i] = value;
      }
    }
    const std::vector<std::int64_t> x = oracle::coordinates(graph, point);
    if (oracle::is_hole(graph, x)) return false;
    const std::int64_t byte = oracle::address(layout, x) * layout.element_bytes;
    const bool wide = thread.word != byte / oracle::kWordBytes;  // a later word of a vector
    if (wide &&
        (thread.word < byte / oracle::kWordBytes || thread.word >= byte / oracle::kWordBytes + 4)) {
      return false;
    }
    if (thread.word % oracle::kBanks != c.bank || thread.number / oracle::kWarp != c.warp)
      return false;
    words.insert(thread.word);
  }
  return words.size() == c.threads.size() && words.size() > 1;
}

struct Side {
  bool is_right = true, is_known = true, is_judged = true;
  std::int64_t degree = 0;
};

Side compare(const std::optional<oracle::BankConflicts>& truth, const BankAccess& found,
             const oracle::Graph& graph, const oracle::Layout& layout,
             const TensorAnalysis& analysis) {
  if (!truth || (analysis.vector && !analysis.vector->finding.is_legal())) {
    return {.is_judged = false};
  }
  const std::int64_t degree = std::max(1, truth->degree);
  Side side{.is_known = found.degree.has_value(), .degree = degree};
  if (!found.degree) return side;
  side.is_right = *found.degree == degree && found.collision.has_value() == (degree > 1);
  if (found.collision) {
    side.is_right = side.is_right && std::int64_t(found.collision->threads.size()) == degree &&
                    is_collision(graph, layout, analysis, *found.collision);
  }
  return side;
}

// Of the block that writer and reader share: past 1,024 it is never launched.
std::int64_t threads(const oracle::AccessCase& access) {
  std::int64_t all = 1;
  for (oracle::Role role : {oracle::Role::ThreadX, oracle::Role::ThreadY, oracle::Role::ThreadZ}) {
    std::int64_t extent = 1;
    const auto widen = [&](const oracle::Graph& graph, const oracle::Binding& binding) {
      const int d = oracle::bound_to(binding, role);
      if (d >= 0) extent = std::max(extent, graph.extents[std::size_t(d)]);
    };
    widen(access.graph, access.binding);
    if (access.reader) widen(access.reader->graph, access.reader->binding);
    all *= extent;
  }
  return all;
}

struct Judged {
  Side store, load;
  bool is_right() const { return store.is_right && load.is_right; }
};

Judged judge(const oracle::AccessCase& access) {
  const EngineAccess engine(access);
  const TensorId t = engine.tensor().tensor;
  const TensorAnalysis write = analyze(engine.fusion(), engine.schedule(), t);
  const auto& reading = engine.tensor().reading;
  std::optional<TensorAnalysis> read;
  if (reading) read = analyze(engine.fusion(), *reading, t);
  const BankConflicts found =
      *bank_conflicts(engine.fusion(), engine.schedule(), write, reading ? &*reading : nullptr,
                      read ? &*read : nullptr);
  const oracle::Graph& reader = access.reader ? access.reader->graph : access.graph;
  return {compare(oracle::store_conflicts(access), found.store, access.graph, access.layout, write),
          compare(oracle::load_conflicts(access), found.load, reader, access.layout,
                  read ? *read : write)};
}

TEST(RandomBanks, AreCountedAsBruteForceDoes) {
  std::mt19937_64 rng(23);
  const int cases = count(200, 5'000);
  int sides = 0, free = 0, unknown = 0;
  for (int k = 0; k < cases && !testing::Test::HasFailure(); ++k) {
    const oracle::AccessCase access = oracle::random_bank_case(rng);
    if (threads(access) > 1'024) continue;
    const Judged judged = judge(access);
    for (const Side& side : {judged.store, judged.load}) {
      if (!side.is_judged) continue;
      ++sides;
      free += side.degree == 1;
      unknown += !side.is_known;
    }
    if (judged.is_right()) continue;
    const auto still_wrong = [](const oracle::AccessCase& c) { return !judge(c).is_right(); };
    ADD_FAILURE() << oracle::to_yaml(oracle::shrink(access, still_wrong));
  }
  std::printf("[FIGURE] banks: %d accesses, %d free of conflicts, %d not known (%.2f %%)\n", sides,
              free, unknown, 100.0 * unknown / std::max(1, sides));
  EXPECT_GE(free, sides / 3);
  EXPECT_LE(unknown * 50, sides);
}

}  // namespace
}  // namespace selvage
