#pragma once

#include <selvage/kernel/block_events.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace selvage {

// One access of a run: who, and how many barriers of its block and of its warp lie before it; or
// the tick of its own clock, as block_barriers.
struct Moment {
  std::int64_t thread = -1;  // -1: none
  std::uint32_t block_barriers = 0, warp_barriers = 0;
  // What a copy does that ends later: who makes it for the thread, which counts ticks then.
  std::int32_t agent = -1;
  std::uint32_t step = 0;  // of the run, if steps are counted
  bool is_copy() const { return agent >= 0; }
  bool is_none() const { return thread < 0; }
};

// Happens-before in a run of a kernel: which of two accesses comes first, whatever the machine
// does. Threads bear their number in the launch: block * threads of a block + number in the block,
// x fastest; warps are 32 neighbours of one block.
//
// An access comes before a later one of another thread if both are of one block and
//   a barrier of the block lies between, or
//   both are of one warp, and a barrier of that warp lies between.
// So it is enough to count barriers. Where a kernel has barriers of a part of the block, or of a
// part of a warp, or copies that end later, counts do not tell: there vector clocks do
// (thread_clocks.h). Accesses of two blocks are never ordered.
class BarrierClock {
 public:
  // `is_clocked`: by vector clocks. `agents`: block_events.h
  explicit BarrierClock(std::int64_t threads_of_a_block, bool is_clocked = false,
                        std::int64_t agents = 0);

  void start_block(std::int64_t number);
  // From here on that thread of the block runs, and what it does bears that step's number.
  void run(std::int64_t thread_of_the_block);
  void count_step() { ++step_; }
  std::uint32_t step() const { return step_; }
  // These threads of the block, in order, meet at a barrier of that scope; of a warp, each with
  // those of its own.
  void meet(Barrier::Scope scope, std::span<const std::uint32_t> threads);
  // From here on the thread does nothing itself: a copy does, for it. Nothing: it does.
  void copy(std::optional<CopyAgent> agent) { agent_ = agent; }
  bool is_clocked() const { return clocks_.has_value(); }
  ThreadClocks& clocks() { return *clocks_; }  // where it is clocked

  // What the running thread does now.
  Moment now() const {
    if (agent_) {
      return {first_ + thread_, agent_->end, 0, std::int32_t(agent_->agent), step_};
    }
    if (clocks_) return {first_ + thread_, clocks_->now(thread_), 0, -1, step_};
    return {first_ + thread_, block_barriers_, warp_barriers_[std::size_t(warp_)], -1, step_};
  }
  // Does an earlier access come before now? Every thread comes after what it has done itself.
  bool is_before_now(const Moment& earlier) const {
    if (!is_here(earlier)) return false;
    if (earlier.is_copy()) {
      return clocks_->is_before(earlier.agent, earlier.block_barriers, thread_);
    }
    if (earlier.thread == first_ + thread_) return true;
    if (clocks_) {
      return clocks_->is_before(earlier.thread - first_, earlier.block_barriers, thread_);
    }
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
  std::uint32_t block_barriers_ = 0, step_ = 0;
  std::vector<std::uint32_t> warp_barriers_;
  std::optional<ThreadClocks> clocks_;
  std::optional<CopyAgent> agent_;
};

}  // namespace selvage
