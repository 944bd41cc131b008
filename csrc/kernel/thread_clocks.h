#pragma once

#include <selvage/kernel/kernel.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace selvage {

// Which of two moments in the lives of two threads of a block comes first, whatever the machine
// does, where any threads may meet at barriers: vector clocks. A thread's own clock ticks at each
// barrier that it meets; of every other thread it knows the last tick that surely lies behind.
class ThreadClocks {
 public:
  using Tick = std::uint32_t;

  // `agents`: others beside the threads of which one may know how far they are, by numbers from
  // that of the threads on: they count what they have ended.
  explicit ThreadClocks(std::int64_t threads_of_the_block, std::int64_t agents = 0);

  void start_block();
  // These threads, by number, wait for one another.
  void meet(std::span<const std::uint32_t> threads);
  // At a barrier of that scope: of a warp, each with those of its own. In order.
  void meet(Barrier::Scope scope, std::span<const std::uint32_t> threads);

  Tick now(std::int64_t thread) const { return at(thread, thread); }
  std::int64_t size() const { return columns_; }  // of what one thread knows
  // What a thread knows of all, and makes known from here on: what it does next is not in it.
  std::vector<Tick> give(std::int64_t thread);
  void learn(std::int64_t thread, std::span<const Tick> known);
  void learn(std::int64_t thread, std::int64_t agent, Tick then);
  // Does what `other` did at that tick of its own come before what `thread` does now?
  bool is_before(std::int64_t other, Tick then, std::int64_t thread) const {
    return other == thread || at(thread, other) >= then;
  }

  // These threads get to a barrier of Scope::Threads, before they meet there. A pair of them that
  // may be at one time at the hardware's barrier of that number, as members of two that differ:
  // who comes now, and who came before. Else nothing.
  struct TakenBarrier {
    std::uint32_t thread = 0, user = 0;
  };
  std::optional<TakenBarrier> take(const Barrier& barrier, std::span<const std::uint32_t> threads);

 private:
  Tick at(std::int64_t thread, std::int64_t of) const {
    return ticks_[std::size_t(thread * columns_ + of)];
  }

  struct Use {
    const Barrier* barrier = nullptr;
    std::vector<std::uint32_t> threads;
    std::vector<Tick> ticks;  // of each, as it got there
  };
  std::int64_t threads_, columns_;
  std::vector<Tick> ticks_;  // by thread, then whom it knows of
  std::vector<Tick> joined_;
  std::map<int, Use> uses_;  // by number, the last
};

}  // namespace selvage
