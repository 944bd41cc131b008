#pragma once

#include <selvage/ir/parallel.h>
#include <selvage/kernel/block_events.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace selvage {

// Which of two accesses of a kernel come one after the other, whatever the machine does. Threads
// bear their number in the launch: block * threads of a block + number in the block, x fastest;
// warps are 32 neighbours of one block.
//
// An access comes before a later one of another thread if both are of one block and
//   a barrier of the block lies between, or
//   both are of one warp, and a barrier of that warp lies between.
// Where a kernel has barriers of a part of the block, or of a warp, the numbers of barriers do not
// tell: there vector clocks do (csrc/kernel/thread_clocks.h).
// Accesses of two blocks are never ordered.

// One access: who, and how many barriers of its block and of its warp lie before it; or the tick of
// its own clock, as block_barriers.
struct Moment {
  std::int64_t thread = -1;  // -1: none
  std::uint32_t block_barriers = 0, warp_barriers = 0;
  // What a copy does that ends later: who makes it for the thread, which counts ticks then.
  std::int64_t agent = -1;
  bool is_copy() const { return agent >= 0; }
  bool is_none() const { return thread < 0; }
};

// The barriers that the running block has passed, and the thread that runs.
class BarrierClock {
 public:
  // `is_clocked`: are there barriers of a part of the block, or of a warp? `agents`: csrc/kernel/
  // block_events.h
  explicit BarrierClock(std::int64_t threads_of_a_block, bool is_clocked = false,
                        std::int64_t agents = 0);

  void start_block(std::int64_t number);
  void run(std::int64_t thread_of_the_block);
  void meet_block() { ++block_barriers_; }
  void meet_warp(std::int64_t warp_of_the_block) {
    ++warp_barriers_[std::size_t(warp_of_the_block)];
  }
  // From here on the thread does nothing itself: a copy does, for it. Nothing: it does.
  void copy(std::optional<CopyAgent> agent) { agent_ = agent; }
  // Where it is clocked: how any threads meet, by their number in the block.
  bool is_clocked() const { return clocks_.has_value(); }
  ThreadClocks& clocks() { return *clocks_; }

  // What the running thread does now.
  Moment now() const {
    if (agent_) return {first_ + thread_, agent_->end, 0, agent_->agent};
    if (clocks_) return {first_ + thread_, clocks_->now(thread_), 0};
    return {first_ + thread_, block_barriers_, warp_barriers_[std::size_t(warp_)]};
  }
  // Does an earlier access come before now? Every thread comes after what it has done itself.
  bool is_before_now(const Moment& earlier) const {
    const bool is_own = earlier.thread == first_ + thread_;
    if (earlier.is_copy() && is_here(earlier)) {
      return clocks_->is_before(earlier.agent, earlier.block_barriers, thread_);
    }
    if (is_own) return true;
    if (!is_here(earlier)) return false;
    if (clocks_)
      return clocks_->is_before(earlier.thread - first_, earlier.block_barriers, thread_);
    return earlier.block_barriers < block_barriers_ ||
           (warp_of(earlier) == warp_ &&
            earlier.warp_barriers < warp_barriers_[std::size_t(warp_)]);
  }
  // Is it one of the running block?
  bool is_here(const Moment& m) const { return m.thread >= first_ && m.thread < first_ + threads_; }
  std::int64_t warp_of(const Moment& m) const { return (m.thread - first_) / kWarp; }

 private:
  std::int64_t threads_;
  std::int64_t first_ = 0;  // thread of the running block
  std::int64_t thread_ = 0, warp_ = 0;
  std::uint32_t block_barriers_ = 0;
  std::vector<std::uint32_t> warp_barriers_;
  std::optional<ThreadClocks> clocks_;
  std::optional<CopyAgent> agent_;
};

// Accesses that are not ordered among themselves and need not be, as many of them as tell of any
// later access whether it comes after all:
//   of two blocks any later access misses one: one of another block is kept for good;
//   in the running block those before its last barrier come before all that follows, and of two
//   warps since then any later access misses one: two warps are kept, those of the last barrier;
//   in a warp, likewise, two threads since its last barrier, or one if there is but one.
class Crowd {
 public:
  void add(const BarrierClock& clock);
  // An access that does not come before now.
  std::optional<Moment> at_once(const BarrierClock& clock) const;

 private:
  struct OfWarp {
    Moment last;
    std::int64_t second = -1;  // another thread of the warp since its last barrier
  };
  std::array<OfWarp, 2> warps_;
  std::int64_t of_another_block_ = -1;
};

// The same where threads are clocked: all but those after which another of them comes; of other
// blocks, one.
class ClockedCrowd {
 public:
  void add(const BarrierClock& clock);
  std::optional<Moment> at_once(const BarrierClock& clock) const;

 private:
  std::vector<Moment> moments_;
};

// How cells of memory have been accessed, and which accesses race: two threads, at least one of
// them writes, and nothing orders the two. Exact: if any two accesses of a cell race, the later of
// some such pair is told.
class AccessLog {
 public:
  enum class Way : std::uint8_t {
    Read,
    Write,
    Repeat,  // a write of what is there already, by leave: it races with no other of its kind
    Add,     // atomic: races with no other of the same function
    Min,
    Max,
  };
  struct Cell {
    Moment write;              // the last Write or Repeat
    std::uint32_t visits = 0;  // how often it was stored
    std::uint32_t owner = 0;   // the buffer through which it was stored
  };
  struct Race {
    std::int64_t thread;  // of the launch
    Way way;
    bool is_copy = false;  // that ends later, and that it has begun
  };

  AccessLog() = default;
  explicit AccessLog(std::size_t cells) : cells_(cells) {}
  std::size_t size() const { return cells_.size(); }
  const std::vector<Cell>& cells() const { return cells_; }
  void forget();

  // One access now, with what it races with. What is stored is stored through buffer `owner`.
  std::optional<Race> access(std::size_t cell, Way way, std::uint32_t owner,
                             const BarrierClock& clock);

 private:
  std::optional<Race> race(std::size_t cell, Way way, const BarrierClock& clock) const;
  void join(std::size_t cell, Way way, const BarrierClock& clock);

  std::vector<Cell> cells_;
  // By way; each is empty until a cell is first accessed that way. Those of Write stay empty: all
  // but the last are ordered.
  std::array<std::vector<Crowd>, 6> crowds_;
  std::array<std::vector<ClockedCrowd>, 6> clocked_;  // instead, where threads are clocked
  bool has_crowds_ = false;
};

}  // namespace selvage
