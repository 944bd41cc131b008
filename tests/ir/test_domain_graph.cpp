#include <selvage/base/diagnostic.h>
#include <selvage/expr/text.h>
#include <selvage/ir/domain_graph.h>
#include <tests/support/refusal.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace selvage {
namespace {

// A graph with the sizes N (at least 1), M (a multiple of 8 of at least 8) and Z (any integer).
struct GraphCase {
  GraphCase() {
    facts->bound(N, pool->constant(1), {});
    facts->bound(M, pool->constant(8), {});
    facts->congruent(M, 8);
  }
  DomainId add(const char* name, std::int64_t n) { return g.add(name, pool->constant(n)); }
  Expr c(std::int64_t v) { return pool->constant(v); }
  std::string extent(DomainId d) { return to_string(g[d].extent); }
  template <class... D>
  std::string extents(D... d) {
    std::string text;
    ((text += (text.empty() ? "" : " ") + extent(d)), ...);
    return text;
  }

  std::shared_ptr<ExprPool> pool = std::make_shared<ExprPool>();
  std::shared_ptr<Facts> facts = std::make_shared<Facts>(*pool);
  Expr N = pool->symbol("N"), M = pool->symbol("M"), Z = pool->symbol("Z");
  DomainGraph g{pool, facts};
};

// What a graph holds, as text: to see that nothing has changed.
std::string everything(const DomainGraph& g) {
  std::string text = std::to_string(g.transforms()) + ":";
  for (std::size_t i = 0; i < g.size(); ++i) {
    const IterDomain& d = g[DomainId(i)];
    text += " " + d.name + "=" + to_string(d.extent) + "/" +
            std::to_string(g.around(DomainId(i)).size());
  }
  return text;
}

TEST(DomainGraph, ASplitByAKnownFactorRoundsTheTilesUp) {
  for (std::int64_t n = 1; n <= 12; ++n) {
    for (std::int64_t f = 1; f <= 14; ++f) {
      GraphCase k;
      const DomainId x = k.add("x", n);
      const auto [outer, inner] = k.g.split(x, k.c(f));
      const auto [few, rest] = k.g.split(x, k.c(f), false);
      std::int64_t tiles = 0;
      while (tiles * f < n) ++tiles;
      EXPECT_TRUE(k.g[outer].extent.is_const(tiles) && k.g[inner].extent.is_const(f));
      EXPECT_TRUE(k.g[few].extent.is_const(f) && k.g[rest].extent.is_const(tiles));
    }
  }
}

TEST(DomainGraph, ExtentsOfSymbolicTransformsAreSimplified) {
  GraphCase k;
  const DomainId n = k.g.add("n", k.N), m = k.g.add("m", k.M);
  const auto [no, ni] = k.g.split(n, k.c(4));
  const auto [mo, mi] = k.g.split(m, k.c(8));
  EXPECT_EQ(k.extents(no, ni), "(N + 3) / 4 4");
  EXPECT_EQ(k.extents(mo, mi), "M / 8 8");
  EXPECT_EQ(k.extent(k.g.merge(mo, mi)), "M");  // a divisible split merges back
  EXPECT_EQ(k.extent(k.g.merge(n, m)), "M * N");
  EXPECT_EQ(k.extent(k.g.resize(n, k.c(1), k.c(2))), "N + 3");
  EXPECT_EQ(k.extent(k.g.resize(m, k.c(-3), k.c(-4))), "M - 7");
  const auto [u, v] = k.g.swizzle(SwizzleKind::CyclicShift, n, m);
  EXPECT_EQ(k.extents(u, v), "N M");
  const auto [s, t] = k.g.split(m, k.N, false);
  EXPECT_EQ(k.extents(s, t), "N (M - 1) / N + 1");
}

TEST(DomainGraph, ExtentsOfKnownTransforms) {
  GraphCase k;
  const DomainId a = k.add("a", 6), b = k.add("b", 16);
  EXPECT_EQ(k.extent(k.g.merge(a, b)), "96");
  EXPECT_EQ(k.extent(k.g.resize(a, k.c(2), k.c(-7))), "1");
  const auto [u, v] = k.g.swizzle(SwizzleKind::Xor, a, b);
  EXPECT_EQ(k.extents(u, v), "6 16");
}

TEST(DomainGraph, AMadeUpNameSaysWhatAnIterdomainComesFrom) {
  GraphCase k;
  const DomainId a = k.add("a", 8), b = k.add("b", 8);
  const auto [ao, ai] = k.g.split(a, k.c(2));
  EXPECT_EQ(k.g[ao].name + " " + k.g[ai].name, "ao ai");
  EXPECT_EQ(k.g[k.g.merge(a, b)].name, "ab");
  EXPECT_EQ(k.g[k.g.merge(b, a, "q")].name, "q");
}

TEST(DomainGraph, EqualTransformsOfTheSameIterdomainsAreShared) {
  GraphCase k;
  const DomainId a = k.g.add("a", k.N), b = k.g.add("b", k.N);
  EXPECT_NE(a, b);
  EXPECT_EQ(k.g.split(a, k.c(4)), k.g.split(a, k.c(4), true, "other", "names"));
  EXPECT_NE(k.g.split(a, k.c(4)), k.g.split(a, k.c(4), false));
  EXPECT_NE(k.g.split(a, k.c(4)), k.g.split(b, k.c(4)));
  EXPECT_EQ(k.g.split(a, k.N + 1 - 1), k.g.split(a, k.N));  // compared in canonical form
  EXPECT_EQ(k.g.merge(a, b), k.g.merge(a, b));
  EXPECT_NE(k.g.merge(a, b), k.g.merge(b, a));
  EXPECT_EQ(k.g.resize(a, k.c(1), k.c(0)), k.g.resize(a, k.c(1), k.c(0)));
  EXPECT_NE(k.g.resize(a, k.c(1), k.c(0)), k.g.resize(a, k.c(0), k.c(1)));
  EXPECT_EQ(k.g.swizzle(SwizzleKind::CyclicShift, a, b),
            k.g.swizzle(SwizzleKind::CyclicShift, a, b));
  EXPECT_EQ(k.g.transforms(), 9U);
}

TEST(DomainGraph, AroundListsTheTransformsThatTouchAnIterdomainInOrder) {
  GraphCase k;
  const DomainId a = k.add("a", 8);
  const auto [o, i] = k.g.split(a, k.c(2));
  const DomainId m = k.g.merge(i, o);
  EXPECT_EQ(k.g.around(a), (std::vector{TransformId(0)}));
  EXPECT_EQ(k.g.around(o), (std::vector{TransformId(0), TransformId(1)}));
  EXPECT_EQ(inputs(k.g[TransformId(1)]), (std::vector{i, o}));
  EXPECT_EQ(outputs(k.g[TransformId(1)]), (std::vector{m}));
}

TEST(DomainGraph, AnOverlayContinuesTheIdsAndSharesItsBase) {
  GraphCase k;
  const DomainId a = k.add("a", 12);
  const auto [o, i] = k.g.split(a, k.c(4));
  const auto base = std::make_shared<const DomainGraph>(k.g);
  const std::string before = everything(*base);

  DomainGraph over(base);
  EXPECT_EQ(everything(over), before);
  EXPECT_EQ(over.split(a, k.c(4)), std::pair(o, i));  // made below already
  const DomainId m = over.merge(o, i);
  EXPECT_EQ(index_of(m), base->size());
  EXPECT_EQ(over.around(o), (std::vector{TransformId(0), TransformId(1)}));
  EXPECT_EQ(everything(*base), before);

  DomainGraph top(std::make_shared<const DomainGraph>(over));
  EXPECT_EQ(top.merge(o, i), m);
  EXPECT_EQ(index_of(top.add("z", k.c(3))), over.size());
}

TEST(DomainGraph, CopiesOfAnOverlayGrowIndependently) {
  GraphCase k;
  const DomainId a = k.add("a", 12);
  DomainGraph one(std::make_shared<const DomainGraph>(k.g));
  const auto [o, i] = one.split(a, k.c(4));
  DomainGraph other = one;
  const DomainId m = one.merge(o, i), n = other.merge(i, o);
  EXPECT_EQ(m, n);  // the same number, each in its own graph
  EXPECT_EQ(everything(one), "2: a=12/1 ao=3/2 ai=4/2 aoai=12/1");
  EXPECT_EQ(everything(other), "2: a=12/1 ao=3/2 ai=4/2 aiao=12/1");
}

TEST(DomainGraph, RefusesFactorsBelow1) {
  GraphCase k;
  const DomainId a = k.add("a", 12);
  EXPECT_EQ(
      illegal([&] { k.g.split(a, k.c(0)); }),
      "selvage: error[E401]: the factor of the split of a is 0; help: a factor is at least 1");
  EXPECT_EQ(illegal([&] { k.g.split(a, k.Z); }),
            "selvage: error[E401]: the factor Z of the split of a is not proved to be at least 1; "
            "help: give Z a min of 1: Z: {min: 1}");
  EXPECT_EQ(illegal([&] { k.g.split(a, k.c(1)); }), "accepted");
  EXPECT_EQ(illegal([&] { k.g.split(a, k.N); }), "accepted");
}

TEST(DomainGraph, RefusesExtentsPast62Bits) {
  GraphCase k;
  const std::int64_t most = std::int64_t{1} << 62;
  EXPECT_EQ(illegal([&] { k.add("a", most + 1); }),
            "selvage: error[E402]: the extent of a is past 2^62; help: use a smaller extent");
  const DomainId a = k.add("a", most), b = k.add("b", 2);
  EXPECT_EQ(illegal([&] { k.g.merge(a, b); }),
            "selvage: error[E402]: the merge of a and b has an extent past 2^62; help: merge "
            "smaller iterdomains");
  EXPECT_EQ(illegal([&] { k.g.split(b, k.c(most + 1)); }),
            "selvage: error[E402]: the factor of the split of b is past 2^62; help: use a smaller "
            "factor");
  EXPECT_EQ(illegal([&] { k.g.split(a, k.c(3)); }),
            "selvage: error[E402]: the split of a by 3 reaches past 2^62; help: use a smaller "
            "factor");
  EXPECT_EQ(illegal([&] { k.g.resize(a, k.c(1), k.c(0)); }),
            "selvage: error[E402]: the resize of a has an extent past 2^62; help: resize by less");
  EXPECT_EQ(illegal([&] { k.g.resize(b, k.c(INT64_MAX), k.c(INT64_MIN)); }),
            "selvage: error[E402]: a side of the resize of b is past 2^62; help: resize by less");
  EXPECT_EQ(illegal([&] { k.g.split(a, k.c(2)); }), "accepted");
}

TEST(DomainGraph, RefusesExtentsBelow1) {
  GraphCase k;
  EXPECT_EQ(illegal([&] { k.add("a", 0); }),
            "selvage: error[E403]: the extent of a is 0; help: an extent is at least 1; a size "
            "that may be 0 is a symbol with min: 0");
  const DomainId a = k.add("a", 5), n = k.g.add("n", k.N);
  EXPECT_EQ(illegal([&] { k.g.resize(a, k.c(-2), k.c(-3)); }),
            "selvage: error[E403]: the resize of a by -2 and -3 leaves an extent of 0; help: "
            "resize by more; an extent is at least 1");
  EXPECT_EQ(illegal([&] { k.g.resize(n, k.c(-1), k.c(0)); }),
            "selvage: error[E403]: the resize of n by -1 and 0 is not proved to leave an extent of "
            "at least 1; help: give N a min of 2: N: {min: 2}");
  EXPECT_EQ(illegal([&] { k.g.resize(a, k.c(-2), k.c(-2)); }), "accepted");
  EXPECT_EQ(illegal([&] { k.g.resize(n, k.c(-1), k.c(1)); }), "accepted");
}

TEST(DomainGraph, RefusesSwizzlesThatAreNoPermutations) {
  GraphCase k;
  const DomainId a = k.add("a", 5), b = k.add("b", 12), c = k.add("c", 16);
  const DomainId n = k.g.add("n", k.N), m = k.g.add("m", k.M);
  EXPECT_EQ(illegal([&] { k.g.swizzle(SwizzleKind::Xor, a, b); }),
            "selvage: error[E404]: the xor swizzle of a (5) and b (12) leaves its index space: the "
            "least power of two that holds a is 8, which does not divide 12; help: make the extent "
            "of b a multiple of it, or use kind: cyclic_shift");
  EXPECT_EQ(illegal([&] { k.g.swizzle(SwizzleKind::CyclicShift, a, a); }),
            "selvage: error[E404]: the swizzle of a with itself is no permutation; help: swizzle "
            "two different iterdomains");
  EXPECT_NE(illegal([&] { k.g.swizzle(SwizzleKind::Xor, n, c); }), "accepted");
  EXPECT_EQ(
      illegal([&] { k.g.swizzle(SwizzleKind::Xor, a, n); }),
      "selvage: error[E404]: the xor swizzle of a (5) and n (N) is not proved legal: the least "
      "power of two that holds a is 8, which is not proved to divide N; help: make the extent "
      "of n a multiple of it, or use kind: cyclic_shift");
  EXPECT_EQ(illegal([&] { k.g.swizzle(SwizzleKind::Xor, a, c); }), "accepted");
  EXPECT_EQ(illegal([&] { k.g.swizzle(SwizzleKind::Xor, a, m); }), "accepted");
  EXPECT_EQ(illegal([&] { k.g.swizzle(SwizzleKind::CyclicShift, a, b); }), "accepted");
}

TEST(DomainGraph, HilbertsCurveGoesThroughSquaresOfAPowerOfTwo) {
  GraphCase k;
  const DomainId a = k.add("a", 12), b = k.add("b", 4), c = k.add("c", 64), d = k.add("d", 8);
  const DomainId n = k.g.add("n", k.N), m = k.g.add("m", k.M);
  const auto curve = [&](DomainId x, DomainId y) {
    return illegal([&] { k.g.swizzle(SwizzleKind::Hilbert, x, y); });
  };
  EXPECT_EQ(curve(a, b), "accepted");
  EXPECT_EQ(curve(m, d), "accepted");
  EXPECT_EQ(curve(b, a),
            "selvage: error[E404]: Hilbert's curve through b (4) and a (12) goes through squares, "
            "and 12 is no power of two up to 32; help: split a by such a power, and take the inner "
            "part of it");
  EXPECT_EQ(curve(c, n),
            "selvage: error[E404]: Hilbert's curve through c (64) and n (N) goes through squares, "
            "and N is no power of two up to 32; help: split n by such a power, and take the inner "
            "part of it");
  EXPECT_EQ(curve(d, c),
            "selvage: error[E404]: Hilbert's curve through d (8) and c (64) goes through squares, "
            "and 64 is no power of two up to 32; help: split c by such a power, and take the inner "
            "part of it");
  EXPECT_EQ(curve(a, d),
            "selvage: error[E404]: Hilbert's curve through a (12) and d (8) goes through squares "
            "of 8, which does not divide 12; help: split a by 8, and take the inner part of it");
  EXPECT_EQ(curve(n, b),
            "selvage: error[E404]: Hilbert's curve through n (N) and b (4) goes through squares "
            "of 4, which is not proved to divide N; help: split n by 4, and take the inner part "
            "of it");
  EXPECT_EQ(k.extents(a, b), "12 4");
}

TEST(DomainGraph, ARefusalLeavesTheGraphAsItWas) {
  GraphCase k;
  const DomainId a = k.add("a", 5), b = k.add("b", 12), z = k.add("z", std::int64_t{1} << 62);
  k.g.split(b, k.c(4));
  const std::string before = everything(k.g);
  illegal([&] { k.add("y", -1); });
  illegal([&] { k.g.split(a, k.c(-4)); });
  illegal([&] { k.g.split(a, k.Z); });
  illegal([&] { k.g.merge(z, b); });
  illegal([&] { k.g.resize(a, k.c(-9), k.c(0)); });
  illegal([&] { k.g.swizzle(SwizzleKind::Xor, a, b); });
  EXPECT_EQ(everything(k.g), before);
  EXPECT_NE(illegal([&] { k.g.split(a, k.c(-4)); }), "accepted");  // nor is it remembered
}

TEST(DomainGraph, ExtentsAreSimplifiedByWhatIsKnownLater) {
  GraphCase k;
  const auto [outer, inner] = k.g.split(k.g.add("n", k.N), k.c(4));
  const DomainId rows = k.g.merge(outer, inner);
  EXPECT_EQ(k.extent(rows), "(N + 3) / 4 * 4");
  k.facts->congruent(k.N, 4);
  k.g.simplify_extents(k.g.facts());
  EXPECT_EQ(k.extent(rows), "N");
}

}  // namespace
}  // namespace selvage
