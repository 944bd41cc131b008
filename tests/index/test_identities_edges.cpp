// Laws D and E: what a resize and a swizzle do to bounds.
#include <selvage/base/diagnostic.h>
#include <selvage/ir/domain_graph.h>

#include <gtest/gtest.h>

#include <set>

#include "tests/index/claims.h"

namespace selvage {
namespace {

TEST(LawD, EachSideKeepsItsBoundIfAndOnlyIfItDoesNotShrink) {
  for (const World& w : small_worlds()) {
    if (w.over != Law::Over::Resize) continue;
    const oracle::Step& s = w.step();
    EXPECT_EQ(counterexample(w, "lo a", "lo b").empty(), s.left >= 0) << w.text();
    EXPECT_EQ(counterexample(w, "lo b", "lo a").empty(), s.left <= 0) << w.text();
    EXPECT_EQ(counterexample(w, "hi a", "hi b").empty(), s.right >= 0) << w.text();
    EXPECT_EQ(counterexample(w, "hi b", "hi a").empty(), s.right <= 0) << w.text();
  }
}

TEST(LawD, WithBothSidesGrowingIsTheoremThree) {
  for (const World& w : small_worlds()) {
    if (w.over != Law::Over::Resize || w.step().left < 0 || w.step().right < 0) continue;
    EXPECT_EQ(counterexample(w, "ok a", "ok b"), "");
  }
}

bool is_swizzle(const World& w) {
  return w.over == Law::Over::Xor || w.over == Law::Over::CyclicShift;
}

// Theorem 4.
TEST(LawE, ASwizzleKeepsTheBoundsOfItsFirstIterdomain) {
  for (const World& w : small_worlds()) {
    if (!is_swizzle(w)) continue;
    for (const char* half : {"lo ", "hi ", "ok "}) {
      const std::string before = half + std::string("x"), after = half + std::string("u");
      EXPECT_EQ(counterexample(w, before, after), "");
      EXPECT_EQ(counterexample(w, after, before), "");
    }
  }
}

TEST(LawE, GivenTheFirstAnXorKeepsTheBoundsOfTheSecond) {
  for (const World& w : small_worlds()) {
    if (w.over != Law::Over::Xor) continue;
    EXPECT_EQ(counterexample(w, "ok u, ok v", "ok y"), "");
    EXPECT_EQ(counterexample(w, "ok u, ok y", "ok v"), "");
    EXPECT_EQ(counterexample(w, "lo u, lo v", "lo y"), "");
    EXPECT_EQ(counterexample(w, "ok u, hi v", "hi y"), "");
    // Without the first, neither of the two follows from the other.
    EXPECT_NE(counterexample(w, "ok v", "ok y"), "") << w.text();
    EXPECT_NE(counterexample(w, "ok y", "ok v"), "") << w.text();
  }
}

// Rows of y permuted by u stay in [0, |y|) exactly where whole blocks of a power of two that holds
// every u make up |y|; the graph accepts no others.
TEST(LawE, AnXorIsLegalIfAndOnlyIfEveryRowIsAPermutation) {
  for (std::int64_t x = 1; x <= 9; ++x) {
    for (std::int64_t y = 1; y <= 20; ++y) {
      bool permutes = true;
      for (std::int64_t u = 0; u < x; ++u) {
        for (std::int64_t v = 0; v < y; ++v) permutes = permutes && (u ^ v) < y;
      }
      const auto pool = std::make_shared<ExprPool>();
      DomainGraph g(pool, std::make_shared<Facts>(*pool));
      const DomainId dx = g.add("x", pool->constant(x)), dy = g.add("y", pool->constant(y));
      bool accepted = true;
      try {
        g.swizzle(SwizzleKind::Xor, dx, dy);
      } catch (const Illegal&) {
        accepted = false;
      }
      EXPECT_EQ(accepted, permutes) << x << " by " << y;
      EXPECT_EQ(oracle::is_legal_xor(x, y), permutes) << x << " by " << y;
    }
  }
}

TEST(LawE, ACyclicShiftComputesARemainderAndImpliesNothing) {
  for (const World& w : small_worlds()) {
    if (w.over != Law::Over::CyclicShift) continue;
    const bool backward = w.direction == Direction::Backward;
    const std::string computed = backward ? "ok y" : "ok v", given = backward ? "ok v" : "ok y";
    EXPECT_EQ(counterexample(w, "", computed), "");
    EXPECT_NE(counterexample(w, "ok u, " + computed, given), "") << w.text();
  }
}

TEST(LawE, EverySwizzlePermutesItsIndexSpace) {
  for (const World& w : small_worlds()) {
    if (!is_swizzle(w)) continue;
    std::set<std::pair<std::int64_t, std::int64_t>> reached;
    std::int64_t inside = 0;
    for (const auto& [x, y, u, v, unused] : w.points) {
      const bool forward = w.direction == Direction::Forward;
      const auto [from0, from1] = forward ? std::pair(x, y) : std::pair(u, v);
      if (from0 < 0 || from0 >= w.extent('x') || from1 < 0 || from1 >= w.extent('y')) continue;
      ++inside;
      reached.insert(forward ? std::pair(u, v) : std::pair(x, y));
    }
    EXPECT_EQ(std::int64_t(reached.size()), inside) << w.text();
    EXPECT_EQ(inside, w.extent('x') * w.extent('y'));
  }
}

}  // namespace
}  // namespace selvage
