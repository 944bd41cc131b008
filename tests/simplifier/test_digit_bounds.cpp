#include <tests/simplifier/scope.h>
#include <tests/support/counts.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace selvage {
namespace {

// low*(x % a) + high*(x / a) over all x of a range, enumerated.
TEST(DigitBounds, AreExactWhereTheLastPeriodIsCutShort) {
  std::mt19937_64 random(7);
  const auto within = [&](std::int64_t lo, std::int64_t hi) {
    return lo + std::int64_t(random() % std::uint64_t(hi - lo + 1));
  };
  for (int k = 0; k < count(2'000, 50'000); ++k) {
    Scope s;
    const std::int64_t first = within(-40, 40), last = first + within(0, 60), a = within(2, 17);
    const std::int64_t low = within(-9, 9), high = within(-60, 60);
    s.bound("x", first, last);
    const Expr x = s.pool.symbol("x");
    Interval exact{INT64_MAX, INT64_MIN};
    for (std::int64_t v = first; v <= last; ++v) {
      const std::int64_t q = (v - ((v % a) + a) % a) / a;
      const std::int64_t value = low * (v - q * a) + high * q;
      exact = {std::min(exact.lo, value), std::max(exact.hi, value)};
    }
    if (low == 0 || high == 0) continue;
    const Interval bounds = Simplifier(s.facts).interval(x % a * low + x / a * high);
    EXPECT_EQ(bounds, exact) << low << "*(x % " << a << ") + " << high << "*(x / " << a
                             << "), x in " << first << ".." << last;
  }
}

TEST(DigitBounds, AreExactForAMiddleDigit) {
  Scope s;
  s.loop("x", "47");  // x / 3 is 0 to 15
  const Expr x = s.pool.symbol("x");
  EXPECT_EQ(Simplifier(s.facts).interval(x / 3 % 4 + x / 12), (Interval{0, 6}));
  EXPECT_EQ(Simplifier(s.facts).interval(x / 3 % 4 * 4 + x / 12), (Interval{0, 15}));
}

}  // namespace
}  // namespace selvage
