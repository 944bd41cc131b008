// Random schedules: what is called legal brings every item to its place, and the holes hold what is
// said of them; few copies are refused that a tensor map could do.
#include <selvage/base/points.h>
#include <selvage/expr/tape.h>
#include <selvage/legality/tma_questions.h>

#include <map>
#include <random>
#include <set>

#include "tests/legality/tma_case.h"
#include "tests/oracle/random_graph.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

// Another axis inside of everything, of 16 or 32 bytes, so that many tiles are boxes.
void add_row(std::mt19937_64& rng, oracle::Graph& g) {
  const int row = int(g.extents.size());
  g.extents.push_back(4 * oracle::draw(rng, 1, 2));
  g.names.push_back("row");
  g.logical.push_back(row);
  g.loop.push_back(row);
}
void add_row(std::mt19937_64& rng, oracle::SymbolicGraph& g) {
  const int row = int(g.names.size());
  g.root_extents[row] = 4 * oracle::draw(rng, 1, 2);
  g.names.push_back("row");
  g.logical.push_back(row);
  g.loop.push_back(row);
}

// Some of the loops, the inner ones rather; `may`: which ones.
template <class Graph, class May>
std::string bindings(std::mt19937_64& rng, const Graph& g, const May& may) {
  std::string text;
  const auto n = std::int64_t(g.loop.size());
  for (std::int64_t k = 0; k < n; ++k) {
    const int d = g.loop[std::size_t(k)];
    if (k + 1 < n && (oracle::draw(rng, 0, n) > k || !may(d))) continue;
    text += (text.empty() ? "" : ", ") + g.names[std::size_t(d)] + ": Bulk";
  }
  return "    bind: {" + text + "}\n";
}

// Gaps between the rows.
std::string strides(std::mt19937_64& rng, const oracle::Graph& g) {
  if (oracle::draw(rng, 0, 2) == 0) return "";
  std::string text;
  std::int64_t stride = 1;
  for (std::size_t i = g.logical.size(); i-- > 0;) {
    text = std::to_string(stride) + (text.empty() ? "" : ", ") + text;
    stride *= g.extents[std::size_t(g.logical[i])];
    if (oracle::draw(rng, 0, 1) == 0) stride += 4;
  }
  return "    strides: [" + text + "]\n";
}

void expect_sound(const TmaCase& k, const std::string& yaml) {
  const std::vector<TmaElement> plain = k.tile(false), fallback = k.tile(true);
  ASSERT_TRUE(k.copy.strong) << yaml;
  EXPECT_TRUE(is_right(plain, false)) << yaml << k.map();
  EXPECT_EQ(is_right(plain, true), k.copy.strong == TmaStrong::ByHardware) << yaml << k.map();
  EXPECT_EQ(is_right(fallback, true), k.copy.strong != TmaStrong::Impossible) << yaml << k.map();
}

// The addresses of one copy's elements, nothing for a hole: all copies, one after the other.
using Copy = std::vector<std::optional<std::int64_t>>;
std::vector<Copy> copies_of(const TmaCase& k) {
  const TmaQuestions q(k.fusion(), k.schedule(), k.analysis);
  std::vector<std::size_t> outer, inner;
  std::vector<std::int64_t> issues, tile, at(k.analysis.loops.size());
  for (std::size_t i = 0; i < at.size(); ++i) {
    (q.is_bulk(i) ? inner : outer).push_back(i);
    (q.is_bulk(i) ? tile : issues).push_back((*q.extents())[i]);
  }
  std::vector<Expr> roots = q.checks();
  roots.push_back(k.analysis.address);
  Tape tape(roots, k.analysis.variables);
  std::vector<Copy> copies;
  std::vector<std::int64_t> c(issues.size(), 0);
  do {
    Copy& copy = copies.emplace_back();
    std::vector<std::int64_t> t(tile.size(), 0);
    do {
      for (std::size_t i = 0; i < outer.size(); ++i) at[outer[i]] = c[i];
      for (std::size_t i = 0; i < inner.size(); ++i) at[inner[i]] = t[i];
      bool valid = tape.evaluate(at);
      for (std::size_t i = 0; i + 1 < roots.size(); ++i) valid = valid && tape.root(i) != 0;
      copy.push_back(valid ? std::optional(tape.root(roots.size() - 1)) : std::nullopt);
    } while (next_point(t, tile));
  } while (next_point(c, issues));
  return copies;
}

// Necessary for a tensor map: all copies without a hole have the same offsets, the others fit to
// them, and these are digits of the place in the tile, at most five, the last one of 16 bytes and
// without gaps. (Not sufficient: a map has other rules, and must not read past the tensor.)
bool could_be_a_map(const TmaCase& k) {
  const std::vector<Copy> copies = copies_of(k);
  std::vector<std::int64_t> offset;
  for (const Copy& copy : copies) {
    if (std::find(copy.begin(), copy.end(), std::nullopt) != copy.end()) continue;
    for (const auto& address : copy) offset.push_back(*address - *copy[0]);
    break;
  }
  if (offset.empty()) return false;
  for (const Copy& copy : copies) {
    std::optional<std::int64_t> base;
    for (std::size_t i = 0; i < copy.size(); ++i) {
      if (!copy[i]) continue;
      if (!base) base = *copy[i] - offset[i];
      if (*base != *copy[i] - offset[i]) return false;
    }
  }
  int rank = 0;
  for (std::size_t unit = 1; unit < offset.size(); ++rank) {
    const std::int64_t step = offset[unit];
    std::size_t n = 1;
    while (n * unit < offset.size() && offset[n * unit] == std::int64_t(n) * step) ++n;
    if (offset.size() % (n * unit) != 0) return false;
    if (rank == 0 && (step != 1 || n % 4 != 0)) return false;
    for (std::size_t i = 0; i < offset.size(); ++i) {
      const std::int64_t above = offset[i / (unit * n) * unit * n];
      const auto digit = std::int64_t(i / unit % n);
      if (offset[i] != above + digit * step + offset[i % unit]) return false;
    }
    unit *= n;
  }
  return rank >= 1 && rank <= 5;
}

TEST(TmaRandom, VerdictsAreThoseOfTheModel) {
  std::mt19937_64 rng(461);
  oracle::Limits limits;
  limits.max_points = 2'000;
  limits.max_extent = 40;
  limits.max_transforms = 5;
  int legal = 0, missed = 0;
  std::map<TmaStrong, int> strong;
  const auto all = [](int) { return true; };
  for (int n = 0; n < count(600, 10'000) && !testing::Test::HasFailure(); ++n) {
    oracle::Graph g =
        n % 3 == 2 ? oracle::random_view_graph(rng, limits) : oracle::random_graph(rng, limits);
    add_row(rng, g);
    const std::string yaml = oracle::to_yaml(g) + strides(rng, g) + bindings(rng, g, all);
    const TmaCase k(schedule_files::read(yaml));
    if (!k.copy.weak) {
      // A rule of the tensor map is none of the roles' faults.
      if (k.copy.finding.code != "E461" && could_be_a_map(k)) ++missed;
      continue;
    }
    ++legal;
    ++strong[k.copy.strong.value_or(TmaStrong::Impossible)];
    expect_sound(k, yaml);
  }
  EXPECT_LE(missed * 100, at_most(2 * (legal + missed))) << missed << " of " << legal << " refused";
  EXPECT_GT(legal, count(300, 5'000));
  for (const auto& [kind, times] : strong) EXPECT_GT(times, more_than(5)) << to_string(kind);
  EXPECT_EQ(strong.size(), 3u);
}

// A text of one copy, its sizes given, as an expression of another.
Expr read_in(const TmaCase& to, Expr e, const oracle::Values& values) {
  ExprPool& pool = to.fusion().pool();
  return parse_expr(pool, to_string(e), [&](std::string_view name) {
    const auto it = values.find(std::string(name));
    return it != values.end() ? pool.constant(it->second) : pool.symbol(name);
  });
}

// What is legal for all sizes, with these.
void expect_sound_with(const TmaCase& symbolic, const TmaCase& known, const oracle::Values& values,
                       const std::string& what) {
  TmaCopy copy = symbolic.copy;
  Simplifier simplifier(*known.fusion().facts());
  const auto read = [&](Expr e) { return simplifier.simplify(read_in(known, e, values)); };
  oracle::Values with_base = values;
  with_base["T0"] = 0;
  for (Expr condition : copy.finding.conditions) {
    if (!simplifier.simplify(read_in(known, condition, with_base)).is_true()) return;
  }
  for (TmaDim& d : copy.dims) {
    d.size = read(d.size);
    d.stride = read(d.stride);
    d.coordinate = read(d.coordinate);
  }
  const auto plain = modelled_tile(known.fusion(), known.schedule(), known.analysis, copy, false);
  const auto fallback = modelled_tile(known.fusion(), known.schedule(), known.analysis, copy, true);
  ASSERT_TRUE(plain && fallback) << what;
  EXPECT_TRUE(is_right(*plain, false)) << what;
  EXPECT_TRUE(copy.strong != TmaStrong::ByHardware || is_right(*plain, true)) << what;
  EXPECT_TRUE(copy.strong != TmaStrong::ByFallback || is_right(*fallback, true)) << what;
}

TEST(TmaRandom, VerdictsOnSymbolsHoldForEverySize) {
  std::mt19937_64 rng(462);
  oracle::Limits limits;
  limits.max_points = 1'000;
  limits.max_extent = 20;
  limits.max_transforms = 4;
  int legal = 0, decided = 0;
  for (int n = 0; n < count(150, 2'500) && !testing::Test::HasFailure(); ++n) {
    oracle::SymbolicGraph g = oracle::random_symbolic_graph(rng, limits);
    add_row(rng, g);
    const auto samples = oracle::sample_values(rng, g, 6, limits.max_points);
    if (samples.empty()) continue;
    // Only loops of known extent make a tile: those that are the same for all sizes.
    const auto is_known = [&](int d) {
      std::set<std::int64_t> seen;
      for (const auto& values : samples)
        seen.insert(oracle::instantiate(g, values).extents[std::size_t(d)]);
      return seen.size() == 1;
    };
    const std::string yaml = oracle::to_yaml(g) + bindings(rng, g, is_known);
    const TmaCase symbolic(schedule_files::read(yaml));
    if (!symbolic.copy.weak) continue;
    ++legal;
    if (symbolic.copy.strong) ++decided;
    for (const auto& values : samples) {
      const TmaCase known(schedule_files::read(yaml, values));
      std::string what = yaml + symbolic.map();
      for (const auto& [name, value] : values) what += "\n" + name + " = " + std::to_string(value);
      expect_sound_with(symbolic, known, values, what);
    }
  }
  EXPECT_GT(legal, count(60, 1'000));
  EXPECT_GT(decided * 100, 90 * legal) << decided << " of " << legal;
}

}  // namespace
}  // namespace selvage
