#include <selvage/base/integer.h>
#include <selvage/simplifier/interval.h>

#include <algorithm>
#include <bit>

namespace selvage {

namespace {

constexpr std::int64_t kLow = Interval::kMinusInfinity;
constexpr std::int64_t kHigh = Interval::kInfinity;

__extension__ using Wide = __int128;

std::int64_t clamp(Wide v) { return v < kLow ? kLow : v > kHigh ? kHigh : std::int64_t(v); }

// A lower end of kHigh and an upper end of kLow are numbers, not infinities.
Interval negate(Interval x) {
  return {x.has_hi() ? clamp(-Wide(x.hi)) : kLow, x.has_lo() ? clamp(-Wide(x.lo)) : kHigh};
}

// floor(x / d) for d >= 1: increasing in x; falls in d for x >= 0 and rises for x < 0.
Interval divide_by_positive(Interval x, Interval d) {
  const auto by_largest = [&](std::int64_t a) {
    return d.has_hi() ? floor_div(a, d.hi) : std::int64_t(a < 0 ? -1 : 0);
  };
  return {x.has_lo() ? std::min(floor_div(x.lo, d.lo), by_largest(x.lo)) : kLow,
          x.has_hi() ? std::max(floor_div(x.hi, d.lo), by_largest(x.hi)) : kHigh};
}

// Whether sums and products of two such intervals cannot overflow.
bool is_small(Interval x) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  return x.lo >= -kMost && x.hi <= kMost && !x.empty();
}

bool is_infinite(std::int64_t v) { return v == kLow || v == kHigh; }

}  // namespace

std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  if (is_infinite(a)) return a;
  if (is_infinite(b)) return b;
  return clamp(Wide(a) + b);
}

std::int64_t saturating_mul(std::int64_t a, std::int64_t b) {
  if (!is_infinite(a) && !is_infinite(b)) return clamp(Wide(a) * b);
  if (a == 0 || b == 0) return 0;
  return (a < 0) == (b < 0) ? kHigh : kLow;
}

Interval operator+(Interval x, Interval y) {
  if (is_small(x) && is_small(y)) return {x.lo + y.lo, x.hi + y.hi};
  return {x.has_lo() && y.has_lo() ? clamp(Wide(x.lo) + y.lo) : kLow,
          x.has_hi() && y.has_hi() ? clamp(Wide(x.hi) + y.hi) : kHigh};
}

Interval operator-(Interval x, Interval y) { return x + negate(y); }

Interval operator*(Interval x, Interval y) {
  if (is_small(x) && is_small(y)) {
    if (x.lo >= 0 && y.lo >= 0) return {x.lo * y.lo, x.hi * y.hi};
    const auto [lo, hi] = std::minmax({x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi});
    return {lo, hi};
  }
  if (x.is_point() && x.lo == 1) return y;
  // An infinite end is at least 2^63 in magnitude, and so is its product with any factor but 0.
  const Wide x_hi = x.has_hi() ? Wide(x.hi) : Wide(kHigh) + 1;
  const Wide y_hi = y.has_hi() ? Wide(y.hi) : Wide(kHigh) + 1;
  const Wide a = Wide(x.lo) * y.lo, b = x.lo * y_hi, c = x_hi * y.lo, d = x_hi * y_hi;
  return {clamp(std::min(std::min(a, b), std::min(c, d))),
          clamp(std::max(std::max(a, b), std::max(c, d)))};
}

Interval operator/(Interval x, Interval y) {
  if (x.empty() || y.empty()) return x;
  Interval result{kHigh, kLow};
  if (y.hi >= 1) result = divide_by_positive(x, {std::max<std::int64_t>(y.lo, 1), y.hi});
  if (y.lo <= -1) {
    // a / -d = -(a / d) for Euclid.
    const Interval d = negate({y.lo, std::min<std::int64_t>(y.hi, -1)});
    result = hull(result, negate(divide_by_positive(x, d)));
  }
  return result;
}

Interval operator%(Interval x, Interval y) {
  if (x.empty() || y.empty()) return x;
  if (x.lo >= 0 && x.hi < y.lo) return x;
  if (y.is_point() && y.lo > 0 && y.lo < kHigh && x.has_lo() && x.has_hi() &&
      floor_div(x.lo, y.lo) == floor_div(x.hi, y.lo)) {
    return {*euclid_mod(x.lo, y.lo), *euclid_mod(x.hi, y.lo)};
  }
  const std::int64_t largest = std::max(y.hi, negate(y).hi);
  Interval result{0, largest == kHigh ? kHigh : std::max<std::int64_t>(largest - 1, 0)};
  if (x.lo >= 0) result.hi = std::min(result.hi, x.hi);
  return result;
}

Interval operator^(Interval x, Interval y) {
  if (x.lo < 0 || y.lo < 0 || !x.has_hi() || !y.has_hi()) return Interval::everything();
  if (x.empty() || y.empty()) return Interval::everything();
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

namespace {

Interval truth(bool always, bool never) {
  return always ? Interval{1, 1} : never ? Interval{0, 0} : Interval{0, 1};
}

}  // namespace

Interval less(Interval x, Interval y) { return truth(x.hi < y.lo, x.lo >= y.hi); }
Interval less_or_equal(Interval x, Interval y) { return truth(x.hi <= y.lo, x.lo > y.hi); }
Interval equal(Interval x, Interval y) {
  return truth(x.is_point() && x == y, x.hi < y.lo || y.hi < x.lo);
}
Interval negation(Interval x) { return truth(x.never(), x.always()); }
Interval conjunction(Interval x, Interval y) {
  return truth(x.always() && y.always(), x.never() || y.never());
}
Interval disjunction(Interval x, Interval y) {
  return truth(x.always() || y.always(), x.never() && y.never());
}
Interval choice(Interval condition, Interval x, Interval y) {
  return condition.always() ? x : condition.never() ? y : hull(x, y);
}

std::optional<bool> order(Interval x, Interval y, bool strict) {
  if (x.has_hi() && y.has_lo() && (strict ? x.hi < y.lo : x.hi <= y.lo)) return true;
  if (x.has_lo() && y.has_hi() && (strict ? x.lo >= y.hi : x.lo > y.hi)) return false;
  return std::nullopt;
}

Interval hull(Interval x, Interval y) { return {std::min(x.lo, y.lo), std::max(x.hi, y.hi)}; }
Interval intersect(Interval x, Interval y) { return {std::max(x.lo, y.lo), std::min(x.hi, y.hi)}; }

}  // namespace selvage
