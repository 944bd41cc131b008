#include <selvage/base/integer.h>
#include <selvage/simplifier/interval.h>

#include <algorithm>
#include <bit>

namespace selvage {

namespace {

constexpr std::int64_t kLow = Interval::kMinusInfinity;
constexpr std::int64_t kHigh = Interval::kInfinity;

bool is_infinite(std::int64_t v) { return v == kLow || v == kHigh; }
std::int64_t negate(std::int64_t v) { return v == kLow ? kHigh : v == kHigh ? kLow : -v; }

// floor(x / d) for d >= 1: increasing in x; falls in d for x >= 0 and rises for x < 0.
Interval divide_by_positive(Interval x, Interval d) {
  const auto quotient = [](std::int64_t a, std::int64_t b) {
    if (is_infinite(a)) return a;
    if (b == kHigh) return std::int64_t(a < 0 ? -1 : 0);
    return floor_div(a, b);
  };
  return {std::min(quotient(x.lo, d.lo), quotient(x.lo, d.hi)),
          std::max(quotient(x.hi, d.lo), quotient(x.hi, d.hi))};
}

}  // namespace

std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  if (is_infinite(a)) return a;
  if (is_infinite(b)) return b;
  if (const auto r = checked_add(a, b)) return *r;
  return a < 0 ? kLow : kHigh;
}

std::int64_t saturating_mul(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (!is_infinite(a) && !is_infinite(b)) {
    if (const auto r = checked_mul(a, b)) return *r;
  }
  return (a < 0) == (b < 0) ? kHigh : kLow;
}

Interval operator+(Interval x, Interval y) {
  return {saturating_add(x.lo, y.lo), saturating_add(x.hi, y.hi)};
}

Interval operator-(Interval x, Interval y) {
  return {saturating_add(x.lo, negate(y.hi)), saturating_add(x.hi, negate(y.lo))};
}

Interval operator*(Interval x, Interval y) {
  const std::int64_t corners[] = {saturating_mul(x.lo, y.lo), saturating_mul(x.lo, y.hi),
                                  saturating_mul(x.hi, y.lo), saturating_mul(x.hi, y.hi)};
  return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

Interval operator/(Interval x, Interval y) {
  if (x.empty() || y.empty()) return x;
  Interval result{kHigh, kLow};
  if (y.hi >= 1) result = divide_by_positive(x, {std::max<std::int64_t>(y.lo, 1), y.hi});
  if (y.lo <= -1) {
    // a / -d = -(a / d) for Euclid.
    const Interval d{std::max<std::int64_t>(negate(y.hi), 1), negate(y.lo)};
    const Interval q = divide_by_positive(x, d);
    result = hull(result, {negate(q.hi), negate(q.lo)});
  }
  return result;
}

Interval operator%(Interval x, Interval y) {
  if (x.empty() || y.empty()) return x;
  const std::int64_t largest = std::max(y.hi, negate(y.lo));
  if (y.is_point() && !is_infinite(y.lo) && y.lo > 0 && x.has_lo() && x.has_hi() &&
      floor_div(x.lo, y.lo) == floor_div(x.hi, y.lo)) {
    const std::int64_t base = floor_div(x.lo, y.lo) * y.lo;
    return {x.lo - base, x.hi - base};
  }
  Interval result{0, largest == kHigh ? kHigh : std::max<std::int64_t>(largest - 1, 0)};
  if (x.lo >= 0) result.hi = std::min(result.hi, x.hi);
  return result;
}

Interval operator^(Interval x, Interval y) {
  if (x.lo < 0 || y.lo < 0 || !x.has_hi() || !y.has_hi()) return Interval::everything();
  // Where x < 2^k, only the low k bits of y change.
  const auto within_block = [](std::int64_t mask_of, Interval v) {
    const int bits = std::bit_width(static_cast<std::uint64_t>(mask_of));
    const auto mask = static_cast<std::int64_t>((std::uint64_t{1} << bits) - 1);
    return Interval{v.lo & ~mask, v.hi | mask};
  };
  return intersect(within_block(x.hi, y), within_block(y.hi, x));
}

Interval min(Interval x, Interval y) { return {std::min(x.lo, y.lo), std::min(x.hi, y.hi)}; }
Interval max(Interval x, Interval y) { return {std::max(x.lo, y.lo), std::max(x.hi, y.hi)}; }
Interval hull(Interval x, Interval y) { return {std::min(x.lo, y.lo), std::max(x.hi, y.hi)}; }
Interval intersect(Interval x, Interval y) { return {std::max(x.lo, y.lo), std::min(x.hi, y.hi)}; }

}  // namespace selvage
