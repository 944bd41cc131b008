// What the schedule of one tensor means: where its items lie in memory, and how it goes through a
// view.
#include <selvage/base/diagnostic.h>
#include <selvage/expr/text.h>

#include <gtest/gtest.h>

#include "tests/legality/analysis_case.h"
#include "tests/support/refusal.h"

namespace selvage {
namespace {

TEST(Address, OfADenseTensorIsRowMajor) {
  AnalysisCase k("M, N");
  const Schedule s(k.f);
  EXPECT_EQ(k.address(s), "N * i0 + i1");
  EXPECT_EQ(to_string(k.analysis(s).elements), "M * N");
}

// Row and column cancel: a contiguous tensor that is merged and split is walked in a line.
TEST(Address, OfAMergedAndSplitContiguousTensorIsLinear) {
  AnalysisCase k("M, N");
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  s.split(s.merge(m, n, "mn"), 4, {.outer = "o", .inner = "i"});
  EXPECT_EQ(k.address(s), "o * 4 + i");
}

TEST(Address, WithStridesIsTheirWeightedSum) {
  AnalysisCase k("M, N");
  const Expr stride = k.f.extent("S");
  k.info().strides = {stride, k.c(2)};
  const Schedule s(k.f);
  EXPECT_EQ(k.address(s), "S * i0 + i1 * 2");
  EXPECT_EQ(to_string(k.analysis(s).elements), "(M - 1) * S + N * 2 - 1");
}

TEST(Address, OfAnAllocationFollowsItsOrderAndItsHoles) {
  AnalysisCase k("6, 5");
  auto& graph = k.f.domains();
  const auto logical = k.info().logical;
  const auto [o, i] = graph.split(logical[0], k.c(4));
  k.info().allocation = {o, logical[1], i};  // 2 by 5 by 4: rows in fours, the last four half empty
  Schedule s(k.f);
  s.derive(k.y.id(), Split{logical[0], {}, {}, k.c(4)}, {});
  EXPECT_EQ(to_string(k.analysis(s).elements), "40");
  EXPECT_EQ(k.address(s), "i0 / 4 * 16 + i1 * 4 + i0");
  const Expr indices[] = {k.c(5), k.c(3)};
  Simplifier simplifier(*k.f.facts());
  EXPECT_EQ(to_string(simplifier.simplify(address_of(k.f, k.f.domains(), k.y.id(), indices))),
            "33");
}

TEST(Analysis, OfAViewGoesThroughItsRoot) {
  // root [12, 4] seen as [48]: loops over the root, items of the view.
  AnalysisCase k("48");
  auto& graph = k.f.domains();
  const DomainId r = graph.add("r", k.c(12)), c = graph.add("c", k.c(4));
  k.info().root = {r, c};
  k.info().logical = {graph.merge(r, c, "flat")};
  k.info().indices = {k.f.pool().symbol("r"), k.f.pool().symbol("c")};
  Schedule s(k.f);
  EXPECT_EQ(to_string((*k.analysis(s).coordinates)[k.info().logical[0]]), "flat");
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
  AnalysisCase k("M");
  Schedule s(k.f);
  s.split(s.loops(k.y.id())[0], 4, {.outer = "M", .inner = "M"});
  EXPECT_EQ(k.address(s), "M_ * 4 + M__");
}

TEST(AnalysisRefuses, AnAllocationThatDoesNotFollow) {
  AnalysisCase k("6");
  k.info().allocation = {k.f.domains().add("other", k.c(6))};
  EXPECT_EQ(
      refusal_by<Illegal>([&] { k.analysis(Schedule(k.f)); }),
      "selvage: error[E441]: the allocation iterdomain other of y does not follow from its loops; "
      "help: allocate over iterdomains of the tensor");
}

}  // namespace
}  // namespace selvage
