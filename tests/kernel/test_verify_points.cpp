// Points of loops, and values of sizes, listed one by one.
#include <selvage/kernel/verify_points.h>

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/expr/random_expr.h"
#include "tests/support/counts.h"

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

// What a walk visits, up to the first point at which something has no value, and how it ends.
struct WalkLog {
  std::vector<std::vector<std::int64_t>> visited;  // values of the axes, then the results
  PointWalk::End end = PointWalk::End::Done;

  bool operator==(const WalkLog&) const = default;
};

// The same by nested loops: conditions are looked at as soon as their symbols have values.
class NestedLoops {
 public:
  NestedLoops(std::vector<PointAxis> axes, std::vector<Expr> conditions, std::vector<Expr> results,
              std::size_t most)
      : axes_(std::move(axes)),
        conditions_(std::move(conditions)),
        results_(std::move(results)),
        most_(most) {}

  WalkLog run(Expr given, std::int64_t value) {
    symbols_ = {given};
    values_ = {value};
    for (const PointAxis& a : axes_) symbols_.push_back(a.symbol);
    if (const auto hold = holds(0); !hold || *hold) {
      log_.end = hold ? loop(0) : PointWalk::End::Undefined;
    }
    return log_;
  }

 private:
  using End = PointWalk::End;

  std::optional<std::int64_t> value(Expr e) const {
    return evaluate(e, std::span(symbols_).first(values_.size()), values_);
  }
  // Those whose last symbol is that of so many axes; as a tape says it, all have values or none.
  std::optional<bool> holds(std::size_t axes) const {
    bool all = true;
    for (Expr c : conditions_) {
      std::size_t last = 0;
      for (Expr s : symbols_of(c)) {
        const auto at = std::ranges::find_if(symbols_, [&](Expr k) { return same(k, s); });
        last = std::max(last, std::size_t(at - symbols_.begin()));
      }
      if (last != axes) continue;
      const auto v = value(c);
      if (!v) return std::nullopt;
      all = all && *v != 0;
    }
    return all;
  }
  End loop(std::size_t k) {
    if (k == axes_.size()) return visit();
    const auto begin = value(axes_[k].begin), end = value(axes_[k].end);
    if (!begin || !end) return End::Undefined;
    End result = End::Done;
    for (std::int64_t v = *begin; v < *end && result == End::Done; ++v) {
      values_.push_back(v);
      const auto hold = holds(k + 1);
      if (!hold) result = End::Undefined;
      if (hold && *hold) result = loop(k + 1);
      values_.pop_back();
      if (hold && *hold && axes_[k].only_first) break;
    }
    return result;
  }
  End visit() {
    std::vector<std::int64_t> point(values_.begin() + 1, values_.end());
    for (Expr r : results_) {
      const auto v = value(r);
      if (!v) return End::Undefined;
      point.push_back(*v);
    }
    log_.visited.push_back(std::move(point));
    return log_.visited.size() == most_ ? End::Stopped : End::Done;
  }

  std::vector<PointAxis> axes_;
  std::vector<Expr> conditions_, results_, symbols_;
  std::size_t most_;
  std::vector<std::int64_t> values_;
  WalkLog log_;
};

TEST(PointWalk, VisitsWhatNestedLoopsDo) {
  ExprPool pool;
  RandomExpr random(pool, 29, {"N", "i", "j", "k"});
  random.ends = false;
  const Expr n = pool.symbol("N");
  const Expr symbols[] = {pool.symbol("i"), pool.symbol("j"), pool.symbol("k")};
  int visited = 0, undefined = 0, stopped = 0;
  for (int turn = 0; turn < count(2000, 100000); ++turn) {
    std::vector<PointAxis> axes;
    for (Expr s : symbols) {
      const std::int64_t widest[] = {3, 9, 40};
      const Expr extent = pool.constant(std::int64_t(random.below(widest[random.below(3)] + 1)));
      const Expr begin =
          axes.empty() || random.below(3) > 0 ? pool.constant(0) : axes.back().symbol;
      axes.push_back({s, begin, random.below(4) == 0 ? extent + n : extent, random.below(9) == 0});
      if (random.below(4) == 0) break;
    }
    RandomExpr own(pool, random.below(1 << 30), {"N", "i"});
    const bool are_all = axes.size() == 3;
    std::vector<Expr> conditions, results;
    for (std::uint64_t c = random.below(3); c > 0; --c) {
      conditions.push_back(are_all ? random.truth(2) : own.truth(2));
    }
    for (std::uint64_t r = random.below(3); r > 0; --r) {
      results.push_back(are_all ? random.integer(2) : own.integer(2));
    }
    const std::size_t most = random.below(5) == 0 ? 1 + random.below(40) : 1'000'000;
    const auto value = std::int64_t(random.below(5));
    const WalkLog expected = NestedLoops(axes, conditions, results, most).run(n, value);
    Slots slots;
    slots[slots(n)] = value;
    PointWalk walk(axes, conditions, results, slots);
    WalkLog log;
    std::int64_t work = 1 << 30;
    log.end = walk.run(work, [&] {
      std::vector<std::int64_t> point;
      for (const PointAxis& a : axes) point.push_back(slots.value(a.symbol));
      for (std::size_t r = 0; r < results.size(); ++r) point.push_back(walk.result(r));
      log.visited.push_back(std::move(point));
      return log.visited.size() < most;
    });
    ASSERT_EQ(log, expected) << turn;
    visited += int(log.visited.size());
    undefined += log.end == PointWalk::End::Undefined;
    stopped += log.end == PointWalk::End::Stopped;
  }
  EXPECT_GT(visited, more_than(10'000));
  EXPECT_GT(undefined, more_than(20));
  EXPECT_GT(stopped, more_than(20));
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
