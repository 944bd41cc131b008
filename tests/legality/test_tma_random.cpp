// Random schedules: what is called legal brings every item to its place, and the holes hold what is
// said of them; few copies are refused that a tensor map could do.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include <selvage/expr/tape.h>
#include <selvage/legality/tma_questions.h>
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
    const int gaps = int(oracle::draw(rng, 0, 2));
    TensorInfo& info = engine.fusion->edit(engine.tensor);
    std::int64_t stride = 1;
    for (std::size_t i = info.logical.size(); i-- > 0 && gaps > 0;) {
      info.strides.insert(info.strides.begin(), engine.fusion->constant(stride));
      stride *= engine.fusion->domains()[info.logical[i]].extent.value();
      if (oracle::draw(rng, 0, 1) == 0) stride += 4;
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

// Does every copy move its valid elements by the same box? Offsets of the tile in mixed radix.
bool moves_boxes(const RandomCopy& k) {
  const auto& loops = k.analysis.loops;
  const Schedule& s = *k.engine.schedule;
  std::vector<std::size_t> outer, inner;
  std::vector<std::int64_t> copies, tile, at(loops.size());
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const bool bulk = s.parallel(k.engine.tensor, loops[i]) == ParallelType::Bulk;
    (bulk ? inner : outer).push_back(i);
    (bulk ? tile : copies).push_back(s.graph()[loops[i]].extent.value());
  }
  std::vector<Expr> roots = {k.analysis.address};
  for (const KeptPredicate& p : k.analysis.predicates.kept) roots.push_back(p.condition);
  Tape tape(roots, k.analysis.variables);
  using Row = std::vector<std::optional<std::int64_t>>;
  std::vector<Row> rows;
  std::vector<std::int64_t> q(copies.size(), 0);
  do {
    Row row;
    std::vector<std::int64_t> t(tile.size(), 0);
    do {
      for (std::size_t i = 0; i < outer.size(); ++i) at[outer[i]] = q[i];
      for (std::size_t i = 0; i < inner.size(); ++i) at[inner[i]] = t[i];
      if (!tape.evaluate(at)) return false;
      bool valid = true;
      for (std::size_t i = 1; i < roots.size(); ++i) valid = valid && tape.root(i) != 0;
      row.push_back(valid ? std::optional(tape.root(0)) : std::nullopt);
    } while (advance(t, tile));
    rows.push_back(row);
  } while (advance(q, copies));
  // A full one tells the offsets.
  const Row* full = nullptr;
  for (const Row& r : rows) {
    bool is_full = true;
    for (const auto& e : r) is_full = is_full && e;
    if (is_full && full == nullptr) full = &r;
  }
  if (full == nullptr) return false;
  const std::size_t n = full->size();
  std::vector<std::int64_t> offset;
  for (const auto& e : *full) offset.push_back(*e - *(*full)[0]);
  for (const Row& r : rows) {
    std::optional<std::int64_t> base;
    for (std::size_t i = 0; i < n; ++i) {
      if (!r[i]) continue;
      if (!base) base = *r[i] - offset[i];
      if (*base != *r[i] - offset[i]) return false;
    }
  }
  int rank = 0;
  std::size_t unit = 1;
  while (unit < n) {
    const std::int64_t step = offset[unit];
    std::size_t c = 1;
    while (c * unit < n && offset[c * unit] == std::int64_t(c) * step) ++c;
    if (n % (c * unit) != 0) return false;
    if (rank == 0 && (step != 1 || c % 4 != 0)) return false;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t digit = i / unit % c, rest = i % unit;
      if (offset[i] !=
          offset[i / (unit * c) * unit * c] + std::int64_t(digit) * step + offset[rest])
        return false;
    }
    unit *= c;
    ++rank;
  }
  return rank <= 5 && rank > 0;
}

void expect_sound(const RandomCopy& k, const oracle::Graph& g) {
  const auto plain = k.tile(false), fallback = k.tile(true);
  ASSERT_TRUE(plain && fallback);
  EXPECT_TRUE(is_right(*plain, false)) << oracle::to_yaml(g);
  ASSERT_TRUE(k.copy.strong) << oracle::to_yaml(g);
  EXPECT_EQ(is_right(*plain, true), k.copy.strong == TmaStrong::ByHardware) << oracle::to_yaml(g);
  EXPECT_EQ(is_right(*fallback, true), k.copy.strong != TmaStrong::Impossible)
      << oracle::to_yaml(g);
}

// Another axis inside, of 16 bytes, which is in every tile; strides with gaps.
void add_row(std::mt19937_64& rng, oracle::Graph& g) {
  const int row = int(g.extents.size());
  g.extents.push_back(4 * oracle::draw(rng, 1, 2));
  g.names.push_back("row");
  g.logical.push_back(row);
  g.loop.push_back(row);
}

TEST(TmaRandom, VerdictsAreThoseOfTheModel) {
  std::mt19937_64 rng(461);
  oracle::Limits limits;
  limits.max_points = 2'000;
  limits.max_extent = 40;
  limits.max_transforms = 5;
  std::map<std::string, int> codes, strong, missed;
  for (int n = 0; n < count(600, 10'000) && !testing::Test::HasFailure(); ++n) {
    oracle::Graph g = oracle::random_graph(rng, limits);
    add_row(rng, g);
    const RandomCopy k(rng, g);
    ++codes[k.copy.weak ? "legal" : k.copy.finding.code];
    if (!k.copy.weak && moves_boxes(k)) {
      ++missed[k.copy.finding.code];
      std::cout << k.copy.finding.reason << "\n";
      if (missed[k.copy.finding.code] < 400) std::cout << oracle::to_yaml(g);
      for (auto l : k.engine.loops)
        if (k.engine.schedule->parallel(l.tensor, l.domain) == ParallelType::Bulk)
          std::cout << k.engine.schedule->name(l.tensor, l.domain) << " ";
      std::cout << "\n";
    }
    if (!k.copy.weak) continue;
    ++strong[std::string(k.copy.strong ? to_string(*k.copy.strong) : "unknown")];
    expect_sound(k, g);
  }
  for (auto& [a, b] : codes) std::cout << a << " " << b << "\n";
  for (auto& [a, b] : strong) std::cout << a << " " << b << "\n";
  for (auto& [a, b] : missed) std::cout << "missed " << a << " " << b << "\n";
}

}  // namespace
}  // namespace selvage
