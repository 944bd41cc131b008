#pragma once

#include <cstdint>
#include <numeric>
#include <optional>

namespace selvage {

// Checked 64-bit arithmetic: the result, or nothing where it would leave 64 bits.
inline std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t r;
  if (__builtin_add_overflow(a, b, &r)) return std::nullopt;
  return r;
}
inline std::optional<std::int64_t> checked_sub(std::int64_t a, std::int64_t b) {
  std::int64_t r;
  if (__builtin_sub_overflow(a, b, &r)) return std::nullopt;
  return r;
}
inline std::optional<std::int64_t> checked_mul(std::int64_t a, std::int64_t b) {
  std::int64_t r;
  if (__builtin_mul_overflow(a, b, &r)) return std::nullopt;
  return r;
}

// Euclid: a = b*(a/b) + a%b with 0 <= a%b < |b|, for every b other than 0.
// The one quotient that does not fit, INT64_MIN / -1, is nothing.
inline std::optional<std::int64_t> euclid_div(std::int64_t a, std::int64_t b) {
  if (b == 0 || (b == -1 && a == INT64_MIN)) return std::nullopt;
  const std::int64_t q = a / b;
  if (a % b >= 0) return q;
  return b > 0 ? q - 1 : q + 1;
}
inline std::optional<std::int64_t> euclid_mod(std::int64_t a, std::int64_t b) {
  if (b == 0) return std::nullopt;
  if (b == -1) return 0;
  const std::int64_t r = a % b;
  if (r >= 0) return r;
  return b > 0 ? r + b : r - b;
}

// floor(a / b) and ceil(a / b) for b >= 1. They never overflow.
inline std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}
inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

// |a| and the greatest common divisor of a and b. |INT64_MIN| = 2^63 does not fit: it is INT64_MAX
// here, and the divisor is 1, which divides all the same.
inline std::int64_t magnitude(std::int64_t a) {
  return a == INT64_MIN ? INT64_MAX : a < 0 ? -a : a;
}
inline std::int64_t common_divisor(std::int64_t a, std::int64_t b) {
  if (a == INT64_MIN || b == INT64_MIN) return 1;
  return std::gcd(a, b);
}

}  // namespace selvage
