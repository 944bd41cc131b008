// Which items a schedule visits, and which points its guards let through, against the oracle.
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>

#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "tests/legality/analysis_case.h"
#include "tests/oracle/brute_force.h"
#include "tests/oracle/random_graph.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

TEST(Coverage, OfSplitsMergesAndSwizzlesIsComplete) {
  AnalysisCase k("M, N");
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  const auto [o, i] = s.split(n, 8);
  const ScheduledLoop merged = s.merge(m, o);
  s.swizzle(SwizzleKind::CyclicShift, s.split(merged, 4).second, i);
  EXPECT_TRUE(is_proved(k.analysis(s).coverage.verdict));
}

TEST(Coverage, OfAResizeThatTrimsOnlyHolesIsComplete) {
  for (std::int64_t trim = 0; trim <= 4; ++trim) {
    AnalysisCase k("6");
    Schedule s(k.f);
    const auto [o, i] = s.split(s.loops(k.y.id())[0], 4);
    s.resize(s.merge(o, i), k.c(0), k.c(-trim));  // 8 numbers, of which 6 are items
    const Coverage coverage = k.analysis(s).coverage;
    EXPECT_EQ(is_proved(coverage.verdict), trim <= 2) << trim;
    if (trim <= 2) continue;
    ASSERT_TRUE(std::holds_alternative<Refuted>(coverage.verdict));
    ASSERT_EQ(coverage.lost.size(), 1u);
    EXPECT_GE(coverage.lost[0].second, 8 - trim);
    EXPECT_LT(coverage.lost[0].second, 6);
  }
}

// As `facts` a loop over an axis of that name would be 0 <= N < N, from which anything follows.
TEST(Coverage, AnAxisMayBeCalledLikeASize) {
  for (const std::string axis : {"m", "N"}) {
    Fusion f;
    const Expr n = f.extent("N", 3), i = f.fresh_index(axis);
    const Tensor y = f.output("y", f.compute("t", {i}, {n}, f.values().index(i)));
    Schedule s(f);
    s.resize(s.loops(y.id())[0], f.constant(0), f.constant(-2));
    const Coverage coverage = analyze(f, s, y.id()).coverage;
    EXPECT_TRUE(is_refuted(coverage.verdict)) << axis;
    ASSERT_EQ(coverage.lost.size(), 2U) << axis;  // the item and the size
    const auto& [item, place] = coverage.lost[0];
    EXPECT_EQ(to_string(item), axis == "N" ? "N#2" : "m");
    EXPECT_GE(place, coverage.lost[1].second - 2);
  }
}

// Twelve numbers, the last taken off and then run over all the same, as 15 points: the guard asks
// for items alone and lets it through.
TEST(Coverage, WhereDuplicatesAreAllowedHolesOnTheWayLoseNothing) {
  for (const bool is_allowed : {false, true}) {
    for (const std::int64_t factor : {5, 11}) {
      AnalysisCase k("12");
      k.info().duplicates_allowed = is_allowed;
      Schedule s(k.f);
      const auto [o, i] = s.split(s.loops(k.y.id())[0], 2, {.inner_split = false});
      const ScheduledLoop fewer = s.resize(s.merge(o, i), k.c(0), k.c(-1));
      s.split(fewer, factor);
      const bool loses = !is_allowed || factor == 11;
      EXPECT_EQ(is_proved(k.analysis(s).coverage.verdict), !loses) << is_allowed << factor;
    }
  }
}

TEST(Coverage, WithSymbolsTellsALostItemAndTheSizesThatLoseIt) {
  AnalysisCase k("N");
  k.f.assume(k.c(5) <= k.f.sizes()[0]);
  Schedule s(k.f);
  s.resize(s.loops(k.y.id())[0], k.c(0), k.c(-2));
  const Coverage coverage = k.analysis(s).coverage;
  ASSERT_TRUE(std::holds_alternative<Refuted>(coverage.verdict));
  ASSERT_EQ(coverage.lost.size(), 2u);
  const std::int64_t item = coverage.lost[0].second, size = coverage.lost[1].second;
  EXPECT_EQ(to_string(coverage.lost[1].first), "N");
  EXPECT_GE(size, 5);
  EXPECT_TRUE(size - 2 <= item && item < size) << item << " of " << size;
}

// Of N items in two halves, each of 8 numbers, the later ones holes: with 4 put before and 3 taken
// off behind, an item's number is at most 1 + 4. That takes a proof with sizes.
TEST(Coverage, ABoundThatIntervalsLeaveOpenIsProvedByTheSimplifier) {
  AnalysisCase k("1");
  k.info().logical = {k.f.domains().add("i", k.f.extent("N", 1, 59))};
  Schedule s(k.f);
  const auto halves =
      s.split(s.loops(k.y.id())[0], 2, {.outer = "half", .inner = "rest", .inner_split = false});
  const auto eighths =
      s.split(halves.first, 8, {.outer = "eighth", .inner = "ninth", .inner_split = false});
  s.resize(eighths.first, k.c(4), k.c(-3), "trimmed");
  const Coverage coverage = k.analysis(s).coverage;
  EXPECT_TRUE(is_proved(coverage.verdict));
  EXPECT_TRUE(coverage.open.empty());
}

// In 73 parts, of which the last three are trimmed: of N items up to 73 each is a part, from 74 on
// there are two in each, and at most 50 parts. Few sizes lose one; no small one does.
TEST(Coverage, ABoundThatFailsForFewSizesIsRefutedWithOneOfThem) {
  AnalysisCase k("1");
  k.info().logical = {k.f.domains().add("i", k.f.extent("N", 1, 100))};
  Schedule s(k.f);
  const auto parts = s.split(s.loops(k.y.id())[0], 73, {.inner_split = false});
  s.resize(parts.first, k.c(2), k.c(-3));
  const Coverage coverage = k.analysis(s).coverage;
  ASSERT_TRUE(std::holds_alternative<Refuted>(coverage.verdict));
  ASSERT_EQ(coverage.lost.size(), 2u);
  const std::int64_t item = coverage.lost[0].second, size = coverage.lost[1].second;
  EXPECT_TRUE(71 <= size && size <= 73) << size;
  EXPECT_TRUE(70 <= item && item < size) << item;
}

Transform transform_of(Fusion& f, const oracle::Step& step, const std::vector<DomainId>& ids) {
  const DomainId a = ids[std::size_t(step.in[0])], b = ids[std::size_t(step.in.back())];
  switch (step.kind) {
    case oracle::Step::Split: return Split{a, {}, {}, f.constant(step.factor), true};
    case oracle::Step::OuterSplit: return Split{a, {}, {}, f.constant(step.factor), false};
    case oracle::Step::Merge: return Merge{a, b, {}};
    case oracle::Step::Resize: return Resize{a, {}, f.constant(step.left), f.constant(step.right)};
    case oracle::Step::Xor: return Swizzle{SwizzleKind::Xor, a, b, {}, {}};
    case oracle::Step::Hilbert: return Swizzle{SwizzleKind::Hilbert, a, b, {}, {}};
    case oracle::Step::CyclicShift: break;
    case oracle::Step::Skew:
      return Skew{
          a, ids[std::size_t(*step.along)], {}, f.constant(step.by), f.constant(step.factor)};
  }
  return Swizzle{SwizzleKind::CyclicShift, a, b, {}, {}};
}

// The oracle's graph as a schedule of y: its view in the fusion, the other transforms by derive.
struct Scheduled {
  explicit Scheduled(const oracle::Graph& g) : k(shape(g)) {
    const TensorId t = k.y.id();
    std::vector<DomainId> ids(g.extents.size());
    if (g.view_steps > 0) {
      for (int d : oracle::root(g)) {
        ids[std::size_t(d)] =
            k.f.domains().add(g.names[std::size_t(d)], k.c(g.extents[std::size_t(d)]));
        k.info().root.push_back(ids[std::size_t(d)]);
      }
    } else {
      for (std::size_t i = 0; i < g.logical.size(); ++i) {
        ids[std::size_t(g.logical[i])] = k.info().logical[i];
      }
    }
    const auto view_steps = g.steps.begin() + g.view_steps;
    for (auto step = g.steps.begin(); step != view_steps; ++step) {
      make(k.f.domains(), *step, ids);
    }
    if (g.view_steps > 0) {
      k.info().logical.clear();
      for (int d : g.logical) k.info().logical.push_back(ids[std::size_t(d)]);
    }
    s.emplace(k.f);
    for (auto step = view_steps; step != g.steps.end(); ++step) {
      std::vector<std::string> names;
      for (int d : step->out) names.push_back(g.names[std::size_t(d)]);
      const std::vector<DomainId> made = s->derive(t, transform_of(k.f, *step, ids), names);
      for (std::size_t i = 0; i < made.size(); ++i) ids[std::size_t(step->out[i])] = made[i];
    }
    std::vector<DomainId> loops;
    for (int d : g.loop) loops.push_back(ids[std::size_t(d)]);
    s->set_loops(t, loops);
  }
  TensorAnalysis analysis() { return k.analysis(*s); }

  static std::string shape(const oracle::Graph& g) {
    std::string text;
    for (int d : g.logical) {
      text += (text.empty() ? "" : ", ") + std::to_string(g.extents[std::size_t(d)]);
    }
    return text;
  }
  void make(DomainGraph& graph, const oracle::Step& step, std::vector<DomainId>& ids) {
    const std::vector<DomainId> made = graph.make(transform_of(k.f, step, ids), {"", ""});
    for (std::size_t i = 0; i < made.size(); ++i) ids[std::size_t(step.out[i])] = made[i];
  }

  AnalysisCase k;
  std::optional<Schedule> s;
};

oracle::Graph random_schedule(std::mt19937_64& rng, int n, const oracle::Limits& limits) {
  return n % 3 == 2 ? oracle::random_view_graph(rng, limits) : oracle::random_graph(rng, limits);
}

bool is_visited(const oracle::Graph& g, const std::vector<std::int64_t>& item) {
  bool visited = false;
  oracle::for_each_point(g, [&](std::span<const std::int64_t>,
                                std::span<const std::int64_t> indices, std::uint64_t holes) {
    if (holes != 0 || visited) return;
    visited = true;
    for (std::size_t i = 0; i < item.size(); ++i) {
      visited = visited && indices[std::size_t(g.logical[i])] == item[i];
    }
  });
  return visited;
}

TEST(Coverage, AgreesWithTheOracleOnRandomGraphs) {
  std::mt19937_64 rng(41);
  oracle::Limits limits;
  limits.max_points = 4'000;
  limits.max_extent = 24;
  int complete = 0, lost = 0, unknown = 0;
  const int graphs = count(300, 5'000);
  for (int n = 0; n < graphs && !HasFailure(); ++n) {
    const oracle::Graph g = random_schedule(rng, n, limits);
    Scheduled scheduled(g);
    const Coverage coverage = scheduled.analysis().coverage;
    const bool truth = oracle::coverage(g).complete();
    if (std::holds_alternative<Unknown>(coverage.verdict)) {
      ++unknown;
      continue;
    }
    ASSERT_EQ(is_proved(coverage.verdict), truth) << oracle::to_yaml(g);
    (truth ? complete : lost) += 1;
    if (truth) continue;
    std::vector<std::int64_t> item;
    for (const auto& [symbol, value] : coverage.lost) item.push_back(value);
    ASSERT_EQ(item.size(), g.logical.size());
    for (std::size_t i = 0; i < item.size(); ++i) {
      ASSERT_TRUE(0 <= item[i] && item[i] < g.extents[std::size_t(g.logical[i])]);
    }
    ASSERT_FALSE(is_visited(g, item)) << oracle::to_yaml(g);
  }
  EXPECT_LE(unknown * 100, graphs) << "more than 1 % undecided";
  EXPECT_GT(complete, graphs / 20);
  EXPECT_GT(lost, graphs / 20);
}

// Guards and coordinates of an analysis, against the oracle.
TEST(Analysis, LetsExactlyTheValidPointsThrough) {
  std::mt19937_64 rng(42);
  oracle::Limits limits;
  limits.max_points = 2'000;
  for (int n = 0; n < count(100, 2'000) && !HasFailure(); ++n) {
    const oracle::Graph g = random_schedule(rng, n, limits);
    Scheduled scheduled(g);
    const TensorAnalysis a = scheduled.analysis();
    std::vector<Expr> roots = {a.address};
    for (const KeptPredicate& kept : a.predicates.kept) roots.push_back(kept.condition);
    Tape tape(roots, a.variables);
    oracle::for_each_point(g, [&](std::span<const std::int64_t> loops,
                                  std::span<const std::int64_t> indices, std::uint64_t holes) {
      ASSERT_TRUE(tape.evaluate(loops));
      bool passes = true;
      for (std::size_t i = 1; i < roots.size(); ++i) passes = passes && tape.root(i) != 0;
      ASSERT_EQ(passes, holes == 0) << oracle::to_yaml(g);
      if (!passes) return;
      std::int64_t address = 0;
      for (int d : g.logical)
        address = address * g.extents[std::size_t(d)] + indices[std::size_t(d)];
      ASSERT_EQ(tape.root(0), address) << oracle::to_yaml(g);
    });
  }
}

}  // namespace
}  // namespace selvage
