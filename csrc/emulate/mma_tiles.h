#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/kernel/mma_layout.h>

#include <cstdint>
#include <vector>

namespace selvage {

// The numbers that a warp multiplies in an Mma, in float, as they come from memory.
// `read`: calls of read(buffer, address), which give floats.
class MmaTiles {
 public:
  explicit MmaTiles(const Mma& mma)
      : mma_(mma),
        a_(std::size_t(Mma::kRows * mma.depth)),
        b_(std::size_t(mma.columns * mma.depth)) {}

  // All that lies in shared memory; addresses of the first elements.
  void read_shared(std::int64_t a, std::int64_t b, const auto& read) {
    if (mma_.is_a_shared) read_tile(a_, Mma::kRows, mma_.a, a, read);
    read_tile(b_, mma_.columns, mma_.b, b, read);
  }
  // What thread `t` of the warpgroup has of `a` in its own memory.
  void read_own(std::int64_t t, std::int64_t a, const auto& read) {
    for (std::int64_t v = 0; !mma_.is_a_shared && v < mma_.a_of_a_thread(); ++v) {
      a_[std::size_t(mma_row(t, v) * mma_.depth + mma_depth(t, v))] = read(mma_.a, a + v);
    }
  }
  // The v-th sum of the thread, which was `sum` before.
  float added(std::int64_t t, std::int64_t v, float sum) const {
    const float* const row = &a_[std::size_t(mma_row(t, v) * mma_.depth)];
    const float* const column = &b_[std::size_t(mma_column(t, v) * mma_.depth)];
    for (std::int64_t k = 0; k < mma_.depth; ++k) sum += row[k] * column[k];
    return sum;
  }

 private:
  void read_tile(std::vector<float>& tile, std::int64_t rows, BufferId from, std::int64_t at,
                 const auto& read) const {
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t k = 0; k < mma_.depth; ++k) {
        tile[std::size_t(row * mma_.depth + k)] = read(from, at + mma_place(rows, row, k));
      }
    }
  }

  const Mma& mma_;
  std::vector<float> a_, b_;  // by row, or column, and then along the depth
};

}  // namespace selvage
