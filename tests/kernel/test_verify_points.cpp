// Values of sizes, listed one by one.
#include <selvage/kernel/verify_points.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

struct PointSizes {
  PointSizes(std::int64_t n, std::int64_t k) {
    facts.bound(N, pool.constant(1), pool.constant(n));
    facts.bound(K, pool.constant(1), pool.constant(k));
  }
  std::optional<std::vector<Point>> all(std::size_t most) const {
    const Expr both[] = {N, K};
    return all_points(facts, both, most);
  }
  ExprPool pool;
  Expr N = pool.symbol("N"), K = pool.symbol("K");
  Facts facts{pool};
};

// 12 / x > 3 has no value at x = 0; where x begins at 1, it holds for 1 to 3.
TEST(PointWalk, EndsWhereAConditionHasNoValue) {
  ExprPool pool;
  const Expr x = pool.symbol("x"), c[] = {pool.constant(12) / x > 3};
  const auto walk = [&](std::int64_t begin, int& visited) {
    Slots slots;
    const PointAxis axes[] = {{x, pool.constant(begin), pool.constant(8)}};
    std::int64_t work = 1000;
    return PointWalk(axes, c, {}, slots).run(work, [&] { return ++visited > 0; });
  };
  int from_0 = 0, from_1 = 0;
  EXPECT_EQ(walk(0, from_0), PointWalk::End::Undefined);
  EXPECT_EQ(from_0, 0);
  EXPECT_EQ(walk(1, from_1), PointWalk::End::Done);
  EXPECT_EQ(from_1, 3);
}

TEST(AllPoints, AreThoseThatTheFactsAllow) {
  PointSizes s(4, 4);
  EXPECT_EQ(s.all(16).value().size(), 16u);
  EXPECT_FALSE(s.all(15));
  s.facts.assume(s.K < s.N);
  const auto points = s.all(16).value();
  EXPECT_EQ(points.size(), 6u);
  for (const Point& p : points) EXPECT_LT(p[1].second, p[0].second);
}

TEST(AllPoints, AreNotLookedForAmongTooMany) {
  PointSizes s(1 << 20, 1);
  s.facts.assume(s.N < s.K + 2);
  EXPECT_FALSE(s.all(16));
}

TEST(SamplePoints, AreAllowedByEveryFactAndUnlike) {
  PointSizes s(9, 50);
  s.facts.bound(s.N, s.pool.constant(5), {});
  s.facts.congruent(s.K, 4, 1);
  const Expr both[] = {s.N, s.K};
  const std::vector<Point> points = sample_points(s.facts, both, 8);
  EXPECT_GT(points.size(), 3u);
  for (std::size_t k = 0; k < points.size(); ++k) {
    EXPECT_TRUE(5 <= points[k][0].second && points[k][0].second <= 9);
    EXPECT_TRUE(points[k][1].second % 4 == 1 && points[k][1].second <= 50);
    for (std::size_t other = 0; other < k; ++other) {
      EXPECT_TRUE(points[k][0].second != points[other][0].second ||
                  points[k][1].second != points[other][1].second);
    }
  }
  // Between 5 and 9 there is no multiple of 16.
  s.facts.congruent(s.N, 16, 0);
  EXPECT_TRUE(sample_points(s.facts, both, 8).empty());
}

}  // namespace
}  // namespace selvage
