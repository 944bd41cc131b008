#pragma once

#include <bit>
#include <cstdint>

namespace selvage {

// Which part of a block a thread is in, a warp or a rank (Launch::part_threads()). Runs and
// searches ask it of every access; so sizes that are powers of two, as that of a warp is, are not
// divided by.
class PartOfBlock {
 public:
  explicit PartOfBlock(std::int64_t threads)
      : threads_(threads),
        shift_(std::has_single_bit(std::uint64_t(threads))
                   ? std::countr_zero(std::uint64_t(threads))
                   : -1) {}
  std::int64_t threads() const { return threads_; }
  // Of a thread's number in its block.
  std::int64_t operator()(std::int64_t thread) const {
    return shift_ >= 0 ? thread >> shift_ : thread / threads_;
  }

 private:
  std::int64_t threads_;
  int shift_;
};

}  // namespace selvage
