#include <selvage/kernel/barrier_clock.h>

#include <fmt/format.h>

#include <algorithm>

namespace selvage {

BarrierClock::BarrierClock(std::int64_t threads_of_a_block, bool is_clocked, std::int64_t agents,
                           std::int64_t part, bool has_mma)
    : threads_(threads_of_a_block),
      part_(part),
      part_barriers_(std::size_t((threads_of_a_block + part - 1) / part)) {
  if (is_clocked) clocks_.emplace(threads_of_a_block, agents, part);
  if (has_mma) first_of_mma_ = clocks_->size() - threads_ - BlockEvents::warps(threads_);
}

void BarrierClock::start_block(std::int64_t number) {
  first_ = number * threads_;
  block_barriers_ = 0;
  sees_all_blocks_ = false;
  std::fill(part_barriers_.begin(), part_barriers_.end(), 0);
  if (clocks_) clocks_->start_block();
}

void BarrierClock::run(std::int64_t thread_of_the_block) {
  thread_ = thread_of_the_block;
  own_part_ = part_(thread_);
}

void BarrierClock::meet(Barrier::Scope scope, std::span<const std::uint32_t> threads) {
  if (clocks_) return clocks_->meet(scope, threads);
  if (scope == Barrier::Scope::Block) {
    ++block_barriers_;
    return;
  }
  // What a warp of a rank does is not followed.
  if (scope == Barrier::Scope::Warp && part_.threads() != kWarp) return;
  std::int64_t last = -1;
  for (std::uint32_t t : threads) {
    const std::int64_t own = part_(t);
    if (own == last) continue;
    last = own;
    ++part_barriers_[std::size_t(last)];
  }
}

std::string BarrierClock::unordered_text(const Moment& earlier, bool is_read) const {
  const auto name = [](bool is_mma) { return is_mma ? "a matrix multiplication" : "a copy"; };
  const char* const done = is_read ? "is read" : "is written";
  if (earlier.is_copy()) {
    return fmt::format("{} where {} that accesses it may not have ended", done,
                       name(is_of_mma(earlier)));
  }
  if (lacks_fence(earlier)) {
    return fmt::format("is accessed by a thread and then by {} with no proxy fence between",
                       name(agent_->agent >= first_of_mma_));
  }
  return fmt::format("{} by one thread and accessed by another{}", done,
                     is_here(earlier) ? " with no barrier between" : " of another block");
}

// A thread may know more of itself than others do. If all else is alike, the first tells what the
// others know of all threads but itself, and the second what they know of the first.
std::span<const std::uint32_t> BarrierClock::least_knowing(
    std::span<const std::uint32_t> warp) const {
  if (warp.size() < 3) return warp;
  const std::int64_t objects = BlockEvents::agent_of_object(threads_, 0), all = clocks_->size(),
                     fenced = first_of_mma_ + BlockEvents::warps(threads_);
  // Of whom a clock tells; -1: of no thread in particular.
  const auto owner = [&](std::int64_t clock) {
    return clock < objects ? clock % threads_ : clock >= fenced ? clock - fenced : -1;
  };
  for (std::int64_t clock = 0; clock < all; ++clock) {
    const std::int64_t of = owner(clock);
    const std::uint32_t model = of == warp[0] ? warp[1] : warp[0];
    const ThreadClocks::Tick known = clocks_->known(model, clock);
    for (std::uint32_t t : warp) {
      if (t != of && clocks_->known(t, clock) != known) return warp;
    }
  }
  return warp.first(2);
}

}  // namespace selvage
