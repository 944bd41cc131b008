// The worked examples of non-divisible splits: one as a resize and a divisible split, and the three
// splits that leave holes which the outermost bound does not see.
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/ir/ops.h>
#include <selvage/legality/analysis.h>

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/oracle/arithmetic.h"
#include "tests/oracle/brute_force.h"
#include "tests/support/engine_graph.h"
#include "tests/support/steps.h"

namespace selvage {
namespace {

// Split(6, 4) and the divisible split of Resize(6, 0, 2), for all small sizes: n by f with the
// holes made by a resize that rounds n up.
TEST(SplitAsResize, HasTheSameLoopsIndicesAndPredicate) {
  for (std::int64_t n = 1; n <= 12; ++n) {
    for (std::int64_t f = 1; f <= 14; ++f) {
      oracle::Graph plain = oracle::make_graph({n}), padded = oracle::make_graph({n});
      oracle::apply(plain, oracle::split(0, f));
      const std::int64_t holes = oracle::floor_mod(-n, f);
      const int wider = oracle::apply(padded, oracle::resize(0, 0, holes))[0];
      oracle::apply(padded, oracle::split(wider, f));
      EngineGraph a(plain), b(padded);
      for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_EQ((*a.graph)[a.loops[k]].extent.value(), (*b.graph)[b.loops[k]].extent.value());
      }
      const PredicatePlan guards[] = {a.plan(), b.plan()};
      ASSERT_EQ(guards[0].kept.size(), n % f == 0 ? 0u : 1u) << n << " by " << f;
      ASSERT_EQ(guards[1].kept.size(), guards[0].kept.size()) << n << " by " << f;
      const auto roots = [&](const EngineGraph& e, const PredicatePlan& plan) {
        std::vector<Expr> list = {(*e.coordinates)[e.logical[0]]};
        for (const KeptPredicate& k : plan.kept) {
          EXPECT_EQ(k.domain, e.logical[0]);
          list.push_back(k.condition);
        }
        return list;
      };
      const std::vector<Expr> of_plain = roots(a, guards[0]), of_padded = roots(b, guards[1]);
      Tape s(of_plain, a.variables), t(of_padded, b.variables);
      oracle::for_each_point(plain, [&](std::span<const std::int64_t> point,
                                        std::span<const std::int64_t>, std::uint64_t mask) {
        ASSERT_TRUE(s.evaluate(point) && t.evaluate(point));
        for (std::size_t k = 0; k < of_plain.size(); ++k) EXPECT_EQ(s.root(k), t.root(k));
        EXPECT_EQ(mask == 0, of_plain.size() == 1 || s.root(1) != 0);
      });
    }
  }
}

TEST(SplitAsResize, SixByFourReadsAlikeEitherWay) {
  oracle::Graph plain = oracle::make_graph({6}), padded = plain;
  oracle::apply(plain, oracle::split(0, 4));
  oracle::apply(padded, oracle::split(oracle::apply(padded, oracle::resize(0, 0, 2))[0], 4));
  EngineGraph a(plain), b(padded);
  EXPECT_EQ(to_string((*a.coordinates)[a.logical[0]]), "v_I1 * 4 + v_I2");
  EXPECT_EQ(to_string((*b.coordinates)[b.logical[0]]), "v_I2 * 4 + v_I3");
  const PredicatePlan p = a.plan(), q = b.plan();
  EXPECT_EQ(to_string(p.kept[0].condition), "v_I1 * 4 + v_I2 < 6");
  EXPECT_EQ(to_string(q.kept[0].condition), "v_I2 * 4 + v_I3 < 6");
}

// The items of i0 (15) as 3 by 6, each part cut again: 2 by 2 over the 3, 2 by 4 over the 6.
struct FigureTwo {
  explicit FigureTwo(bool duplicates_allowed = false) {
    y = f.output("y", relu(f.input("x", {f.constant(15)}, DataType::Float)));
    f.edit(y.id()).duplicates_allowed = duplicates_allowed;
    Schedule s(f);
    const auto [i0] = s.loops<1>(y);
    const auto [i1, i2] = s.split(i0, 6, {.outer = "i1", .inner = "i2"});
    s.split(i1, 2, {.outer = "i3", .inner = "i4"});
    s.split(i2, 4, {.outer = "i5", .inner = "i6"});
    domains = {i0.domain, i1.domain, i2.domain};
    analysis = analyze(f, s, y.id());
  }
  // Every loop point: the items at those that the guard lets through.
  std::vector<std::int64_t> items() const {
    std::vector<Expr> roots;
    for (DomainId d : domains) roots.push_back((*analysis.coordinates)[d]);
    for (const KeptPredicate& k : analysis.predicates.kept) roots.push_back(k.condition);
    Tape tape(roots, analysis.variables);
    std::vector<std::int64_t> printed;
    const std::int64_t extents[] = {2, 2, 2, 4};
    std::vector<std::int64_t> p(4);
    for (p[0] = 0; p[0] < extents[0]; ++p[0]) {
      for (p[1] = 0; p[1] < extents[1]; ++p[1]) {
        for (p[2] = 0; p[2] < extents[2]; ++p[2]) {
          for (p[3] = 0; p[3] < extents[3]; ++p[3]) {
            EXPECT_TRUE(tape.evaluate(p));
            bool passes = true;
            for (std::size_t i = 3; i < roots.size(); ++i) passes = passes && tape.root(i) != 0;
            if (passes) printed.push_back(tape.root(0));
          }
        }
      }
    }
    return printed;
  }

  Fusion f;
  Tensor y;
  std::vector<DomainId> domains;  // i0, i1, i2
  TensorAnalysis analysis;
};

TEST(FigureTwo, KeepsExactlyTheBoundsOfI0AndI2) {
  const FigureTwo c;
  const PredicatePlan& plan = c.analysis.predicates;
  ASSERT_EQ(plan.kept.size(), 2u);
  EXPECT_EQ(plan.minimal, Minimality::Proved);
  EXPECT_FALSE(plan.searched);
  std::vector<std::string> text;
  for (const KeptPredicate& k : plan.kept) {
    EXPECT_TRUE(k.hi && !k.lo);
    text.push_back(to_string(k.condition));
  }
  EXPECT_EQ(plan.kept[0].domain, c.domains[2]);
  EXPECT_EQ(plan.kept[1].domain, c.domains[0]);
  EXPECT_EQ(text,
            (std::vector<std::string>{"i5 * 4 + i6 < 6", "i3 * 12 + i4 * 6 + i5 * 4 + i6 < 15"}));
}

TEST(FigureTwo, DropsTheBoundOfI1ByTheoremOne) {
  const FigureTwo c;
  const auto& implied = c.analysis.predicates.implied;
  ASSERT_EQ(implied.size(), 1u);
  EXPECT_EQ(implied[0].domain, c.domains[1]);
  EXPECT_EQ(implied[0].by, "theorem 1");
  std::vector<DomainId> from = implied[0].from;
  std::sort(from.begin(), from.end());
  EXPECT_EQ(from, (std::vector{c.domains[0], c.domains[2]}));
}

TEST(FigureTwo, VisitsEachOfTheFifteenItemsOnceInThirtyTwoPoints) {
  const FigureTwo c;
  std::vector<std::int64_t> fifteen(15);
  for (std::size_t k = 0; k < fifteen.size(); ++k) fifteen[k] = std::int64_t(k);
  EXPECT_EQ(c.items(), fifteen);
  EXPECT_TRUE(is_proved(c.analysis.coverage.verdict));
}

// At a witness every other bound that is kept holds and its own does not.
TEST(FigureTwo, EachWitnessIsAHoleThatOnlyItsOwnCheckStops) {
  const FigureTwo c;
  const auto& kept = c.analysis.predicates.kept;
  std::vector<Expr> roots;
  for (const KeptPredicate& k : kept) roots.push_back(k.condition);
  for (DomainId d : c.domains) roots.push_back((*c.analysis.coordinates)[d]);
  Tape tape(roots, c.analysis.variables);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    std::vector<std::int64_t> point;
    for (const auto& [variable, value] : kept[k].witness) point.push_back(value);
    ASSERT_TRUE(tape.evaluate(point));
    for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(tape.root(i) == 0, i == k);
  }
  // Of i2: an item within the 15 that another point visits rightly.
  std::vector<std::int64_t> point;
  for (const auto& [variable, value] : kept[0].witness) point.push_back(value);
  ASSERT_TRUE(tape.evaluate(point));
  EXPECT_LT(tape.root(2), 15);
  EXPECT_GE(tape.root(4), 6);
}

// Where storing an item twice does no harm, the bound of the item alone will do.
TEST(FigureTwo, WithDuplicatesAllowedGuardsI0AloneAndPrintsNineteenValues) {
  const FigureTwo c(true);
  const auto& kept = c.analysis.predicates.kept;
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].domain, c.domains[0]);
  EXPECT_EQ(c.items(), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 6, 7, 8, 9, 10, 11, 12,
                                                  13, 12, 13, 14}));
}

}  // namespace
}  // namespace selvage
