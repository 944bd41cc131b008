#include <selvage/kernel/barrier_members.h>
#include <selvage/kernel/run_state.h>
#include <selvage/kernel/thread_clocks.h>

#include <algorithm>

namespace selvage {

ThreadClocks::ThreadClocks(std::int64_t threads_of_the_block, std::int64_t agents,
                           std::int64_t part)
    : threads_(threads_of_the_block),
      columns_(threads_of_the_block + agents),
      part_(part),
      ticks_(std::size_t(threads_ * columns_)),
      joined_(std::size_t(columns_)) {
  start_block();
}

void ThreadClocks::start_block() {
  std::fill(ticks_.begin(), ticks_.end(), 0);
  for (std::int64_t t = 0; t < threads_; ++t) ticks_[std::size_t(t * columns_ + t)] = 1;
  uses_.clear();
}

void ThreadClocks::meet(std::span<const std::uint32_t> threads) {
  std::fill(joined_.begin(), joined_.end(), 0);
  for (std::uint32_t t : threads) {
    const Tick* const known = &ticks_[std::size_t(t * columns_)];
    for (std::size_t i = 0; i < joined_.size(); ++i) joined_[i] = std::max(joined_[i], known[i]);
  }
  for (std::uint32_t t : threads) {
    const auto own = ticks_.begin() + std::ptrdiff_t(t * columns_);
    std::copy(joined_.begin(), joined_.end(), own);
    ++own[std::ptrdiff_t(t)];
  }
}

std::vector<ThreadClocks::Tick> ThreadClocks::give(std::int64_t thread) {
  const auto own = ticks_.begin() + std::ptrdiff_t(thread * columns_);
  std::vector<Tick> known(own, own + std::ptrdiff_t(columns_));
  ++own[std::ptrdiff_t(thread)];
  return known;
}

void ThreadClocks::learn(std::int64_t thread, std::span<const Tick> known) {
  for (std::size_t i = 0; i < known.size(); ++i) learn(thread, std::int64_t(i), known[i]);
}

void ThreadClocks::learn(std::int64_t thread, std::int64_t agent, Tick then) {
  Tick& own = ticks_[std::size_t(thread * columns_ + agent)];
  own = std::max(own, then);
}

void ThreadClocks::meet(Barrier::Scope scope, std::span<const std::uint32_t> threads) {
  const bool is_of_warps = scope == Barrier::Scope::Warp;
  if (!is_of_warps && scope != Barrier::Scope::Rank) return meet(threads);
  for_each_part(threads, is_of_warps ? kWarp : part_,
                [&](std::span<const std::uint32_t> part) { meet(part); });
}

// If a thread is known to have reached the last barrier with the id, it is known to have passed it,
// since all members had reached it then. Uses before the last need not be kept, as the last comes
// after them.
std::optional<ThreadClocks::TakenBarrier> ThreadClocks::take(
    const Barrier& barrier, std::span<const std::uint32_t> threads) {
  Use& last = uses_[barrier.id];
  std::optional<TakenBarrier> taken;
  if (last.barrier != nullptr && !same_members(*last.barrier, barrier)) {
    for (std::size_t i = 0; i < last.threads.size() && !taken; ++i) {
      for (std::uint32_t t : threads) {
        if (is_before(last.threads[i], last.ticks[i], t)) continue;
        taken = TakenBarrier{t, last.threads[i]};
        break;
      }
    }
  }
  last = {&barrier, {threads.begin(), threads.end()}, {}};
  for (std::uint32_t t : threads) last.ticks.push_back(now(t));
  return taken;
}

void ThreadClocks::describe(RunState& state) const {
  for (std::int64_t t = 0; t < threads_; ++t) {
    for (std::int64_t of = 0; of < columns_; ++of) state.tick(of, at(t, of));
  }
  for (const auto& [id, use] : uses_) {
    state.number(id);
    state.number(reinterpret_cast<std::intptr_t>(use.barrier));
    state.number(std::int64_t(use.threads.size()));
    for (std::size_t i = 0; i < use.threads.size(); ++i) {
      state.number(use.threads[i]);
      state.tick(use.threads[i], use.ticks[i]);
    }
  }
}

}  // namespace selvage
