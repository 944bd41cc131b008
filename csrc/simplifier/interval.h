#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace selvage {

// The integers lo..hi, ends included. The ends of int64 stand for "unbounded": arithmetic saturates
// there, so that an interval is never smaller than the truth.
struct Interval {
  static constexpr std::int64_t kMinusInfinity = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t kInfinity = std::numeric_limits<std::int64_t>::max();

  std::int64_t lo = kMinusInfinity;
  std::int64_t hi = kInfinity;

  static Interval point(std::int64_t v) { return {v, v}; }
  static Interval everything() { return {}; }

  bool empty() const { return lo > hi; }
  bool is_point() const { return lo == hi && has_lo() && has_hi(); }
  bool has_lo() const { return lo != kMinusInfinity; }
  bool has_hi() const { return hi != kInfinity; }
  bool contains(std::int64_t v) const { return lo <= v && v <= hi; }
  bool always() const { return !contains(0); }  // as a condition
  bool never() const { return lo == 0 && hi == 0; }
  bool within(std::int64_t a, std::int64_t b) const { return a <= lo && hi <= b; }

  friend bool operator==(const Interval&, const Interval&) = default;
};

// {a op b : a in x, b in y}, widened to an interval. Division and remainder are Euclidean; where y
// holds 0 the result covers every divisor but 0.
Interval operator+(Interval x, Interval y);
Interval operator-(Interval x, Interval y);
Interval operator*(Interval x, Interval y);
Interval operator/(Interval x, Interval y);
Interval operator%(Interval x, Interval y);
Interval operator^(Interval x, Interval y);
Interval min(Interval x, Interval y);
Interval max(Interval x, Interval y);
// Intervals of conditions: {1, 1} if the condition always holds, {0, 0} if never, else {0, 1}. An
// operand holds where it is not 0.
Interval less(Interval x, Interval y);
Interval less_or_equal(Interval x, Interval y);
Interval equal(Interval x, Interval y);
Interval negation(Interval x);
Interval conjunction(Interval x, Interval y);
Interval disjunction(Interval x, Interval y);
Interval choice(Interval condition, Interval x, Interval y);

// Whether x < y if strict, else x <= y, for all values (true) or for none (false); nothing if the
// finite ends do not decide.
std::optional<bool> order(Interval x, Interval y, bool strict);

Interval hull(Interval x, Interval y);
Interval intersect(Interval x, Interval y);

// Sums and products of interval ends, saturating; an infinity absorbs.
std::int64_t saturating_add(std::int64_t a, std::int64_t b);
std::int64_t saturating_mul(std::int64_t a, std::int64_t b);

}  // namespace selvage
