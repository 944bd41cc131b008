#pragma once

#include <selvage/legality/analysis.h>

#include <cstdint>
#include <span>
#include <vector>

namespace selvage {

// The number, in its block, of the thread that runs a loop point: fastest along TIDx, then TIDy,
// TIDz.
class ThreadNumbers {
 public:
  // The extents of bound loops must be numbers.
  ThreadNumbers(const Schedule& schedule, const TensorAnalysis& analysis);

  std::int64_t count() const { return count_; }  // threads of a block; saturates
  // Whether the number is the index of one loop, or there is only one thread.
  bool is_plain() const;
  bool depends_only_on(const std::vector<std::size_t>& loops) const;
  std::int64_t at(std::span<const std::int64_t> point) const;
  // Sets the loops bound to threads to the indices of a thread; others keep theirs. False: there is
  // no such thread.
  bool put(std::int64_t thread, std::vector<std::int64_t>& point) const;

 private:
  struct Axis {
    std::size_t loop;
    std::int64_t extent, step;
  };
  std::vector<Axis> axes_;  // x first
  std::int64_t count_ = 1;
};

}  // namespace selvage
