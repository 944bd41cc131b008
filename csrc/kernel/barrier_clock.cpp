#include <selvage/kernel/barrier_clock.h>

#include <algorithm>

namespace selvage {

BarrierClock::BarrierClock(std::int64_t threads_of_a_block, bool is_clocked, std::int64_t agents)
    : threads_(threads_of_a_block),
      warp_barriers_(std::size_t((threads_of_a_block + kWarp - 1) / kWarp)) {
  if (is_clocked) clocks_.emplace(threads_of_a_block, agents);
}

void BarrierClock::start_block(std::int64_t number) {
  first_ = number * threads_;
  block_barriers_ = 0;
  sees_all_blocks_ = false;
  std::fill(warp_barriers_.begin(), warp_barriers_.end(), 0);
  if (clocks_) clocks_->start_block();
}

void BarrierClock::run(std::int64_t thread_of_the_block) {
  thread_ = thread_of_the_block;
  warp_ = std::int64_t(std::uint64_t(thread_) / kWarp);
}

void BarrierClock::meet(Barrier::Scope scope, std::span<const std::uint32_t> threads) {
  if (clocks_) return clocks_->meet(scope, threads);
  if (scope == Barrier::Scope::Block) {
    ++block_barriers_;
    return;
  }
  std::int64_t last = -1;
  for (std::uint32_t t : threads) {
    if (t / kWarp == last) continue;
    last = t / kWarp;
    ++warp_barriers_[std::size_t(last)];
  }
}

}  // namespace selvage
