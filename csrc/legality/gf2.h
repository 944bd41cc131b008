#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace selvage {

// A linear map over GF(2), the field of two numbers in which 1 + 1 = 0, from up to 64 bits to up to
// 64: a vector is a number, component i its bit i, and `images` says where each bit goes.
//   y = 2x, three bits to four        images = {0b0010, 0b0100, 0b1000}
struct LinearMap {
  std::vector<std::uint64_t> images = {};

  std::uint64_t operator()(std::uint64_t x) const;
  friend bool operator==(const LinearMap&, const LinearMap&) = default;
};

// x -> linear(x) ^ offset
struct AffineMap {
  LinearMap linear;
  std::uint64_t offset = 0;

  std::uint64_t operator()(std::uint64_t x) const { return linear(x) ^ offset; }
  friend bool operator==(const AffineMap&, const AffineMap&) = default;
};

// The rank of the images, restricted to the bits in `mask`: how many are no xor of others.
int rank(std::span<const std::uint64_t> images, std::uint64_t mask = ~std::uint64_t{0});

}  // namespace selvage
