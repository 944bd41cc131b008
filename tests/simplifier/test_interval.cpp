#include <selvage/simplifier/interval.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <vector>

namespace selvage {

void PrintTo(const Interval& i, std::ostream* out) { *out << i.lo << ".." << i.hi; }

namespace {

__extension__ using Wide = __int128;

Wide euclid_remainder(Wide a, Wide b) {
  const Wide r = a % b;
  return r >= 0 ? r : r + (b < 0 ? -b : b);
}

using Exact = std::optional<Wide> (*)(Wide, Wide);
using OnIntervals = Interval (*)(Interval, Interval);

struct Operation {
  const char* name;
  OnIntervals intervals;
  Exact exact;
  bool tight;  // the result is the smallest interval that holds all values
};

const Operation kOperations[] = {
    {"+", [](Interval x, Interval y) { return x + y; },
     [](Wide a, Wide b) -> std::optional<Wide> { return a + b; }, true},
    {"-", [](Interval x, Interval y) { return x - y; },
     [](Wide a, Wide b) -> std::optional<Wide> { return a - b; }, true},
    {"*", [](Interval x, Interval y) { return x * y; },
     [](Wide a, Wide b) -> std::optional<Wide> { return a * b; }, true},
    {"/", [](Interval x, Interval y) { return x / y; },
     [](Wide a, Wide b) -> std::optional<Wide> {
       if (b == 0) return std::nullopt;
       return (a - euclid_remainder(a, b)) / b;
     },
     true},
    {"%", [](Interval x, Interval y) { return x % y; },
     [](Wide a, Wide b) -> std::optional<Wide> {
       if (b == 0) return std::nullopt;
       return euclid_remainder(a, b);
     },
     false},
    {"^", [](Interval x, Interval y) { return x ^ y; },
     [](Wide a, Wide b) -> std::optional<Wide> { return a ^ b; }, false},
    {"min", [](Interval x, Interval y) { return min(x, y); },
     [](Wide a, Wide b) -> std::optional<Wide> { return std::min(a, b); }, true},
    {"max", [](Interval x, Interval y) { return max(x, y); },
     [](Wide a, Wide b) -> std::optional<Wide> { return std::max(a, b); }, true},
};

std::vector<Interval> boxes(std::int64_t n) {
  std::vector<Interval> all;
  for (std::int64_t lo = -n; lo <= n; ++lo) {
    for (std::int64_t hi = lo; hi <= n; ++hi) all.push_back({lo, hi});
  }
  return all;
}

TEST(Interval, OperatorsHoldAllValuesAndWhereExactNoMore) {
  for (const Operation& op : kOperations) {
    for (const Interval x : boxes(5)) {
      for (const Interval y : boxes(5)) {
        const Interval result = op.intervals(x, y);
        std::optional<Interval> values;
        for (std::int64_t a = x.lo; a <= x.hi; ++a) {
          for (std::int64_t b = y.lo; b <= y.hi; ++b) {
            const auto v = op.exact(a, b);
            if (!v) continue;
            const Interval point = Interval::point(std::int64_t(*v));
            values = values ? hull(*values, point) : point;
          }
        }
        if (!values) continue;
        ASSERT_TRUE(result.lo <= values->lo && values->hi <= result.hi)
            << x.lo << ".." << x.hi << op.name << y.lo << ".." << y.hi;
        if (op.tight) {
          ASSERT_EQ(result, *values) << x.lo << ".." << x.hi << op.name << y.lo << ".." << y.hi;
        }
      }
    }
  }
}

// Some members: the ends, what lies near them and near 0, and for an infinite end a value beyond.
std::vector<Wide> members(Interval x) {
  constexpr Wide kBeyond = Wide(1) << 63;
  std::vector<Wide> candidates = {x.lo, Wide(x.lo) + 1, -1, 0, 1, 7, Wide(x.hi) - 1, x.hi};
  if (!x.has_lo()) candidates.push_back(-kBeyond - 1);
  if (!x.has_hi()) candidates.push_back(kBeyond);
  std::vector<Wide> all;
  for (const Wide v : candidates) {
    if ((!x.has_lo() || v >= x.lo) && (!x.has_hi() || v <= x.hi)) all.push_back(v);
  }
  return all;
}

TEST(Interval, OperatorsAreSoundAtTheEndsOf64Bits) {
  std::vector<Interval> all;
  const std::int64_t ends[] = {
      INT64_MIN,     INT64_MIN + 1, -(std::int64_t{1} << 33), -1, 0, 3, std::int64_t{1} << 40,
      INT64_MAX - 1, INT64_MAX};
  for (const std::int64_t lo : ends) {
    for (const std::int64_t hi : ends) {
      if (lo <= hi) all.push_back({lo, hi});
    }
  }
  for (const Operation& op : kOperations) {
    for (const Interval x : all) {
      for (const Interval y : all) {
        const Interval result = op.intervals(x, y);
        for (const Wide a : members(x)) {
          for (const Wide b : members(y)) {
            const auto v = op.exact(a, b);
            if (!v) continue;
            ASSERT_TRUE((!result.has_lo() || *v >= result.lo) &&
                        (!result.has_hi() || *v <= result.hi))
                << x.lo << ".." << x.hi << op.name << y.lo << ".." << y.hi << " at "
                << std::int64_t(a) << " " << std::int64_t(b);
          }
        }
      }
    }
  }
}

// An end of an interval that is infinite stays infinite, with the sign of the product, but for 0.
TEST(Interval, SaturatingProductsOfInfiniteEndsHaveTheSignOfTheProduct) {
  constexpr std::int64_t kLeast = Interval{}.lo, kMost = Interval{}.hi;
  EXPECT_EQ(saturating_mul(kMost, 3), kMost);
  EXPECT_EQ(saturating_mul(3, kMost), kMost);
  EXPECT_EQ(saturating_mul(kLeast, -3), kMost);
  EXPECT_EQ(saturating_mul(kMost, -3), kLeast);
  EXPECT_EQ(saturating_mul(kMost, -1), kLeast);
  EXPECT_EQ(saturating_mul(3, kLeast), kLeast);
  EXPECT_EQ(saturating_mul(0, kLeast), 0);
  EXPECT_EQ(saturating_mul(kMost, 0), 0);
}

// What lies beyond 64 bits is as large as it may be: two of those are not told apart.
TEST(Interval, NoOrderOfInfiniteEndsIsKnown) {
  constexpr std::int64_t kLeast = Interval{}.lo, kMost = Interval{}.hi;
  for (const bool strict : {false, true}) {
    EXPECT_EQ(order({kMost, kMost}, {0, kMost}, strict), std::nullopt) << strict;
    EXPECT_EQ(order({kLeast, 0}, {kLeast, kLeast}, strict), std::nullopt) << strict;
    EXPECT_EQ(order({kLeast, 3}, {4, kMost}, strict), true) << strict;
    EXPECT_EQ(order({4, kMost}, {kLeast, 3}, strict), false) << strict;
  }
}

TEST(Interval, RemaindersWithinOnePeriodKeepTheirRange) {
  EXPECT_EQ((Interval{9, 11} % Interval::point(8)), (Interval{1, 3}));
  EXPECT_EQ((Interval{-3, -1} % Interval::point(8)), (Interval{5, 7}));
  EXPECT_EQ((Interval{7, 8} % Interval::point(8)), (Interval{0, 7}));
  EXPECT_EQ((Interval{0, 5} % Interval{6, 99}), (Interval{0, 5}));
  EXPECT_EQ((Interval{0, 5} % Interval{3, 99}), (Interval{0, 5}));
}

TEST(Interval, XorOfSmallNumbersStaysWithinTheirBits) {
  EXPECT_EQ((Interval{0, 7} ^ Interval{0, 5}), (Interval{0, 7}));
  EXPECT_EQ((Interval{0, 3} ^ Interval{16, 18}), (Interval{16, 19}));
  EXPECT_EQ((Interval{-1, 3} ^ Interval{0, 3}), Interval::everything());
}

TEST(Interval, HullAndIntersectionAreThoseOfSets) {
  for (const Interval x : boxes(3)) {
    for (const Interval y : boxes(3)) {
      const Interval both = intersect(x, y), either = hull(x, y);
      for (std::int64_t v = -4; v <= 4; ++v) {
        EXPECT_EQ(both.contains(v), x.contains(v) && y.contains(v));
        EXPECT_TRUE(either.contains(v) || (!x.contains(v) && !y.contains(v)));
      }
    }
  }
}

}  // namespace
}  // namespace selvage
