// What the schedule of one tensor means: which items it visits, and where they lie in memory.
#include <selvage/base/diagnostic.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/lower/analysis.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "tests/oracle/random_graph.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

// y of the given shape, made from an x like it: "M, 32" has a size M.
struct Case {
  explicit Case(const std::string& shape) {
    std::vector<Expr> extents;
    std::istringstream words(shape);
    for (std::string word; std::getline(words >> std::ws, word, ',');) {
      const bool number = word.find_first_not_of("0123456789") == std::string::npos;
      extents.push_back(number ? f.constant(std::stoll(word)) : f.extent(word));
    }
    y = f.output("y", relu(f.input("x", extents, DataType::Float)));
  }
  Expr c(std::int64_t v) { return f.constant(v); }
  TensorInfo& info() { return f.edit(y.id()); }
  TensorAnalysis analysis(const Schedule& s) { return analyze(f, s, y.id()); }
  std::string address(const Schedule& s) { return to_string(analysis(s).address); }

  Fusion f;
  Tensor y;
};

TEST(Coverage, OfSplitsMergesAndSwizzlesIsComplete) {
  Case k("M, N");
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  const auto [o, i] = s.split(n, 8);
  const ScheduledLoop merged = s.merge(m, o);
  s.swizzle(SwizzleKind::CyclicShift, s.split(merged, 4).second, i);
  EXPECT_TRUE(is_proved(k.analysis(s).coverage.verdict));
}

TEST(Coverage, OfAResizeThatTrimsOnlyHolesIsComplete) {
  for (std::int64_t trim = 0; trim <= 4; ++trim) {
    Case k("6");
    Schedule s(k.f);
    const auto [o, i] =
        s.split(s.merge(s.split(s.loops(k.y.id())[0], 4).first, s.loops(k.y.id())[1]),
                1);  // 8 numbers, of which 6 are items
    s.resize(o, k.c(0), k.c(-trim));
    const Coverage coverage = k.analysis(s).coverage;
    EXPECT_EQ(is_proved(coverage.verdict), trim <= 2) << trim;
    if (trim <= 2) continue;
    ASSERT_TRUE(std::holds_alternative<Refuted>(coverage.verdict));
    ASSERT_EQ(coverage.lost.size(), 1u);
    EXPECT_GE(coverage.lost[0].second, 8 - trim);
    EXPECT_LT(coverage.lost[0].second, 6);
  }
}

TEST(Coverage, WithSymbolsTellsALostItemAndTheSizesThatLoseIt) {
  Case k("N");
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

// The oracle's graph as a schedule of y: transforms of what need not be a loop any more.
struct Scheduled {
  explicit Scheduled(const oracle::Graph& g) : k(shape(g)), s(k.f) {
    const TensorId t = k.y.id();
    std::vector<DomainId> ids(g.extents.size());
    for (std::size_t i = 0; i < g.logical.size(); ++i) {
      ids[std::size_t(g.logical[i])] = s.loop_domains(t)[i];
    }
    for (const oracle::Step& step : g.steps) {
      const auto in = [&](std::size_t i) { return ids[std::size_t(step.in[i])]; };
      std::vector<std::string> names;
      for (int d : step.out) names.push_back(g.names[std::size_t(d)]);
      std::vector<DomainId> made;
      switch (step.kind) {
        case oracle::Step::Split:
        case oracle::Step::OuterSplit:
          made = s.derive(
              t, Split{in(0), {}, {}, k.c(step.factor), step.kind == oracle::Step::Split}, names);
          break;
        case oracle::Step::Merge: made = s.derive(t, Merge{in(0), in(1), {}}, names); break;
        case oracle::Step::Resize:
          made = s.derive(t, Resize{in(0), {}, k.c(step.left), k.c(step.right)}, names);
          break;
        case oracle::Step::Xor:
          made = s.derive(t, Swizzle{SwizzleKind::Xor, in(0), in(1), {}, {}}, names);
          break;
        case oracle::Step::CyclicShift:
          made = s.derive(t, Swizzle{SwizzleKind::CyclicShift, in(0), in(1), {}, {}}, names);
          break;
      }
      for (std::size_t i = 0; i < made.size(); ++i) ids[std::size_t(step.out[i])] = made[i];
    }
    std::vector<DomainId> loops;
    for (int d : g.loop) loops.push_back(ids[std::size_t(d)]);
    s.set_loops(t, loops);
  }
  static std::string shape(const oracle::Graph& g) {
    std::string text;
    for (int d : g.logical) {
      text += (text.empty() ? "" : ", ") + std::to_string(g.extents[std::size_t(d)]);
    }
    return text;
  }

  Case k;
  Schedule s;
};

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
    const oracle::Graph g = oracle::random_graph(rng, limits);
    Scheduled scheduled(g);
    const Coverage coverage = scheduled.k.analysis(scheduled.s).coverage;
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
    const oracle::Graph g = oracle::random_graph(rng, limits);
    Scheduled scheduled(g);
    const TensorAnalysis a = scheduled.k.analysis(scheduled.s);
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

TEST(Address, OfADenseTensorIsRowMajor) {
  Case k("M, N");
  const Schedule s(k.f);
  EXPECT_EQ(k.address(s), "i0 * N + i1");
  EXPECT_EQ(to_string(k.analysis(s).elements), "M * N");
}

// Row and column cancel: a contiguous tensor that is merged and split is walked in a line.
TEST(Address, OfAMergedAndSplitContiguousTensorIsLinear) {
  Case k("M, N");
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  s.split(s.merge(m, n, "mn"), k.c(4), true, "o", "i");
  EXPECT_EQ(k.address(s), "o * 4 + i");
}

TEST(Address, WithStridesIsTheirWeightedSum) {
  Case k("M, N");
  const Expr stride = k.f.extent("S");
  k.info().strides = {stride, k.c(2)};
  const Schedule s(k.f);
  EXPECT_EQ(k.address(s), "i0 * S + i1 * 2");
  EXPECT_EQ(to_string(k.analysis(s).elements), "(M - 1) * S + N * 2 - 1");
}

TEST(Address, OfAnAllocationFollowsItsOrderAndItsHoles) {
  Case k("6, 5");
  auto& graph = k.f.domains();
  const auto logical = k.info().logical;
  const auto [o, i] = graph.split(logical[0], k.c(4));
  k.info().allocation = {o, logical[1], i};  // 2 by 5 by 4: rows in fours, the last four half empty
  Schedule s(k.f);
  s.derive(k.y.id(), Split{logical[0], {}, {}, k.c(4)}, {});
  EXPECT_EQ(to_string(k.analysis(s).elements), "40");
  EXPECT_EQ(k.address(s), "i0 / 4 * 20 + i1 * 4 + i0 % 4");
  const Expr indices[] = {k.c(5), k.c(3)};
  Simplifier simplifier(*k.f.facts());
  EXPECT_EQ(to_string(simplifier.simplify(address_of(k.f, k.y.id(), indices))), "33");
}

TEST(Analysis, OfAViewGoesThroughItsRoot) {
  // root [12, 4] seen as [48]: loops over the root, items of the view.
  Case k("48");
  auto& graph = k.f.domains();
  const DomainId r = graph.add("r", k.c(12)), c = graph.add("c", k.c(4));
  k.info().root = {r, c};
  k.info().logical = {graph.merge(r, c, "flat")};
  Schedule s(k.f);
  EXPECT_EQ(to_string((*k.analysis(s).coordinates)[k.info().logical[0]]), "i0");
  s.set_loops(k.y.id(), {c, r});
  const TensorAnalysis a = k.analysis(s);
  EXPECT_EQ(to_string(a.address), "r * 4 + c");
  EXPECT_TRUE(a.predicates.kept.empty());
  EXPECT_TRUE(is_proved(a.coverage.verdict));
  // Cut the root where the view does not: holes of the root are holes of the view.
  const std::vector<DomainId> parts = s.derive(k.y.id(), Split{r, {}, {}, k.c(5)}, {"ro", "ri"});
  s.set_loops(k.y.id(), {parts[0], parts[1], c});
  const TensorAnalysis cut = k.analysis(s);
  ASSERT_EQ(cut.predicates.kept.size(), 1u);
  EXPECT_EQ(to_string(cut.predicates.kept[0].condition), "ro * 5 + ri < 12");
  EXPECT_TRUE(is_proved(cut.coverage.verdict));
}

TEST(Analysis, ALoopNamedLikeASizeGetsAMark) {
  Case k("M");
  Schedule s(k.f);
  s.split(s.loops(k.y.id())[0], k.c(4), true, "M", "M");
  EXPECT_EQ(k.address(s), "M_ * 4 + M__");
}

TEST(AnalysisRefuses, AnAllocationThatDoesNotFollow) {
  Case k("6");
  k.info().allocation = {k.f.domains().add("other", k.c(6))};
  std::string said = "accepted";
  try {
    k.analysis(Schedule(k.f));
  } catch (const Illegal& e) {
    said = e.what();
  }
  EXPECT_EQ(said,
            "error[E441]: the allocation iterdomain other of y does not follow from its loops; "
            "help: allocate over iterdomains of the tensor");
}

}  // namespace
}  // namespace selvage
