#pragma once

#include <cstdint>

namespace selvage {

// Which elements of the tiles of an Mma each thread has: thread `t` of a warpgroup, 0 to 127 (PTX
// ISA, register fragments of wgmma.m64nNk16).

// Element v of the thread's sums is that of this row and column.
constexpr std::int64_t mma_row(std::int64_t t, std::int64_t v) {
  return t / 32 * 16 + t % 32 / 4 + v / 2 % 2 * 8;
}
constexpr std::int64_t mma_column(std::int64_t t, std::int64_t v) {
  return v / 4 * 8 + t % 4 * 2 + v % 2;
}
// Element v of `a` in the thread's memory: of row mma_row(t, v), and this index along the depth.
constexpr std::int64_t mma_depth(std::int64_t t, std::int64_t v) { return mma_column(t, v); }
// Where an element of a tile in shared memory lies: 8 along the depth are neighbours.
constexpr std::int64_t mma_place(std::int64_t rows, std::int64_t row, std::int64_t k) {
  return k / 8 * rows * 8 + row * 8 + k % 8;
}

}  // namespace selvage
