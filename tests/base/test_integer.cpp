#include <selvage/base/integer.h>

#include <gtest/gtest.h>

#include <vector>

namespace selvage {
namespace {

__extension__ using Wide = __int128;

Wide magnitude(Wide x) { return x < 0 ? -x : x; }

// A small box around 0, the ends of 64 bits, and what lies near powers of two.
std::vector<std::int64_t> operands() {
  std::vector<std::int64_t> all;
  for (std::int64_t x = -20; x <= 20; ++x) all.push_back(x);
  for (std::int64_t x = 0; x < 4; ++x) {
    all.push_back(INT64_MIN + x);
    all.push_back(INT64_MAX - x);
  }
  for (int bit : {31, 32, 33, 61, 62}) {
    for (std::int64_t x = -2; x <= 2; ++x) {
      all.push_back((std::int64_t{1} << bit) + x);
      all.push_back(-(std::int64_t{1} << bit) + x);
    }
  }
  return all;
}

TEST(Integer, EuclidsLawHoldsOnABoxAndAtTheEnds) {
  for (const std::int64_t a : operands()) {
    for (const std::int64_t b : operands()) {
      const auto q = euclid_div(a, b);
      const auto r = euclid_mod(a, b);
      if (b == 0) {
        ASSERT_FALSE(q || r);
        continue;
      }
      ASSERT_TRUE(r) << a << " " << b;
      ASSERT_LE(0, *r) << a << " " << b;
      ASSERT_LT(Wide{*r}, magnitude(b)) << a << " " << b;
      if (!q) {
        ASSERT_TRUE(a == INT64_MIN && b == -1);
        continue;
      }
      ASSERT_TRUE(Wide{a} == Wide{b} * *q + *r) << a << " " << b;
    }
  }
}

TEST(Integer, FloorAndCeilEncloseTheQuotient) {
  for (const std::int64_t a : operands()) {
    for (const std::int64_t b : operands()) {
      if (b < 1) continue;
      const Wide f = floor_div(a, b);
      const Wide c = ceil_div(a, b);
      ASSERT_TRUE(f * b <= a && a < (f + 1) * b) << a << " " << b;
      ASSERT_TRUE((c - 1) * b < a && a <= c * b) << a << " " << b;
      ASSERT_EQ(euclid_div(a, b), floor_div(a, b));
    }
  }
}

TEST(Integer, CheckedArithmeticIsExactOrNothing) {
  const auto agrees = [](std::optional<std::int64_t> checked, Wide exact) {
    const bool fits = INT64_MIN <= exact && exact <= INT64_MAX;
    return fits == checked.has_value() && (!fits || *checked == exact);
  };
  for (const std::int64_t a : operands()) {
    for (const std::int64_t b : operands()) {
      ASSERT_TRUE(agrees(checked_add(a, b), Wide{a} + b)) << a << " " << b;
      ASSERT_TRUE(agrees(checked_sub(a, b), Wide{a} - b)) << a << " " << b;
      ASSERT_TRUE(agrees(checked_mul(a, b), Wide{a} * b)) << a << " " << b;
    }
  }
}

}  // namespace
}  // namespace selvage
