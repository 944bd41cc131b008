#pragma once

#include <selvage/kernel/kernel.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace selvage {

class RunState;

// Vector clocks: the order of moments of two threads of a block that holds in every interleaving,
// for kernels in which any set of threads may meet at a barrier. A thread's own clock ticks at each
// barrier that it meets. Of every other thread it knows the last tick that has surely passed.
class ThreadClocks {
 public:
  using Tick = std::uint32_t;

  // `agents`: further clocks, numbered after the threads, that count copies or phases that have
  // ended (block_events.h). `part`: the threads of a rank (Launch::part_threads()).
  explicit ThreadClocks(std::int64_t threads_of_the_block, std::int64_t agents = 0,
                        std::int64_t part = kWarp);

  void start_block();
  // These threads, by number, wait for one another.
  void meet(std::span<const std::uint32_t> threads);
  // These threads, in order, meet at a barrier of that scope; for Warp, each within its own warp,
  // and for Rank within its rank.
  void meet(Barrier::Scope scope, std::span<const std::uint32_t> threads);

  Tick now(std::int64_t thread) const { return at(thread, thread); }
  // What the thread knows of a clock.
  Tick known(std::int64_t thread, std::int64_t of) const { return at(thread, of); }
  std::int64_t size() const { return columns_; }  // the number of clocks that a thread knows
  // The ticks of all clocks that a thread knows now. Its own clock ticks afterwards, so that others
  // do not learn of what it does next.
  std::vector<Tick> give(std::int64_t thread);
  void learn(std::int64_t thread, std::span<const Tick> known);
  void learn(std::int64_t thread, std::int64_t agent, Tick then);
  // Whether what `other` did at its tick `then` comes before what `thread` does now.
  bool is_before(std::int64_t other, Tick then, std::int64_t thread) const {
    return other == thread || at(thread, other) >= then;
  }

  // These threads reach a barrier of Scope::Threads, before they meet there. Returns a conflict
  // over its id, if there is one: `thread` comes while `user` may still wait at a barrier with the
  // same id and other members.
  struct TakenBarrier {
    std::uint32_t thread = 0, user = 0;
  };
  std::optional<TakenBarrier> take(const Barrier& barrier, std::span<const std::uint32_t> threads);
  void describe(RunState& state) const;

 private:
  Tick at(std::int64_t thread, std::int64_t of) const {
    return ticks_[std::size_t(thread * columns_ + of)];
  }

  struct Use {
    const Barrier* barrier = nullptr;
    std::vector<std::uint32_t> threads;
    std::vector<Tick> ticks;  // of each, as it got there
  };
  std::int64_t threads_, columns_, part_;
  std::vector<Tick> ticks_;  // by thread, then whom it knows of
  std::vector<Tick> joined_;
  std::map<int, Use> uses_;  // by number, the last
};

}  // namespace selvage
