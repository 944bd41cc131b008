// The oracle's own arithmetic: Euclidean, and checked to fit 64 bits.
#pragma once

#include <cstdint>
#include <stdexcept>

namespace selvage::oracle {

// Throw std::invalid_argument where the result does not fit.
inline std::int64_t add(std::int64_t a, std::int64_t b) {
  std::int64_t r;
  if (__builtin_add_overflow(a, b, &r)) throw std::invalid_argument("oracle: 64 bits exceeded");
  return r;
}
inline std::int64_t mul(std::int64_t a, std::int64_t b) {
  std::int64_t r;
  if (__builtin_mul_overflow(a, b, &r)) throw std::invalid_argument("oracle: 64 bits exceeded");
  return r;
}

// x = d * floor_div(x, d) + floor_mod(x, d) with 0 <= floor_mod(x, d) < d, for d >= 1. What fits 31
// bits is divided as such: the same, in half the time.
inline std::int64_t floor_div(std::int64_t x, std::int64_t d) {
  if (((x | d) >> 31) == 0) return static_cast<std::uint32_t>(x) / static_cast<std::uint32_t>(d);
  const std::int64_t q = x / d;
  return x % d < 0 ? q - 1 : q;
}
inline std::int64_t floor_mod(std::int64_t x, std::int64_t d) {
  if (((x | d) >> 31) == 0) return static_cast<std::uint32_t>(x) % static_cast<std::uint32_t>(d);
  const std::int64_t r = x % d;
  return r < 0 ? r + d : r;
}
inline std::int64_t ceil_div(std::int64_t x, std::int64_t d) { return (x - 1) / d + 1; }  // x >= 1

}  // namespace selvage::oracle
