#pragma once

#include <selvage/kernel/block_events.h>
#include <selvage/kernel/part.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace selvage {

// The time of one access of a run: its thread, and the numbers of barriers of its block and of its
// part of it, a warp or a rank (Launch::part_threads()), before it. Under vector clocks
// block_barriers is the tick of the thread instead.
struct Moment {
  std::int64_t thread = -1;  // -1: none
  std::uint32_t block_barriers = 0, part_barriers = 0;
  // For the accesses of an AsyncCopy: its CopyAgent, whose tick is block_barriers; else -1.
  std::int32_t agent = -1;
  std::uint32_t step = 0;  // of the run, if steps are counted
  bool is_copy() const { return agent >= 0; }
  bool is_none() const { return thread < 0; }
};

// Happens-before in a run of a kernel: whether one access comes before another in every
// interleaving that the barriers allow. A thread's number in the launch is block * threads of a
// block + number in the block, x fastest; a part is so many neighbours of one block.
//
// An access comes before a later one of another thread if both threads are of one block and
//   a barrier of the block lies between, or
//   both are of one part, and a barrier of that part lies between.
// So counting barriers is enough. It is not enough for a kernel with partial barriers, or with
// copies that end later: then `is_clocked` selects vector clocks (thread_clocks.h). Accesses of two
// blocks are not ordered, but for those of a last block, which come after all that the others do
// (LastBlock, the last statement of a kernel).
class BarrierClock {
 public:
  // `agents`: BlockEvents::agents(). `part`: the threads of each part.
  // `has_mma`: whether the last agents are those of matrix multiplications.
  explicit BarrierClock(std::int64_t threads_of_a_block, bool is_clocked = false,
                        std::int64_t agents = 0, std::int64_t part = kWarp, bool has_mma = false);

  void start_block(std::int64_t number);
  // From here on this thread of the block runs.
  void run(std::int64_t thread_of_the_block);
  void count_step() { ++step_; }
  std::uint32_t step() const { return step_; }
  // These threads of the block, in order, meet at a barrier of that scope; for one of warps or
  // ranks, each thread meets those of its own.
  void meet(Barrier::Scope scope, std::span<const std::uint32_t> threads);
  // The running block is the last one at a LastBlock: it sees what all others have done.
  void see_all_blocks() { sees_all_blocks_ = true; }
  bool sees_all_blocks() const { return sees_all_blocks_; }
  // From here on accesses are those of a copy that the thread began; nullopt: the thread's own.
  void copy(std::optional<CopyAgent> agent) { agent_ = agent; }
  bool is_clocked() const { return clocks_.has_value(); }
  ThreadClocks& clocks() { return *clocks_; }  // where it is clocked

  // The moment of an access that the running thread, or its copy, makes now.
  Moment now() const {
    if (agent_) {
      return {first_ + thread_, agent_->end, 0, std::int32_t(agent_->agent), step_};
    }
    if (clocks_) return {first_ + thread_, clocks_->now(thread_), 0, -1, step_};
    return {first_ + thread_, block_barriers_, part_barriers_[std::size_t(own_part_)], -1, step_};
  }
  // Whether an earlier access comes before now(). A thread's own accesses do; its copies' need not.
  // Before a copy by the async proxy comes only what lies behind a fence of the thread that did it.
  bool is_before_now(const Moment& earlier) const {
    if (!is_here(earlier)) return sees_all_blocks_;
    if (agent_ && is_by_proxy(agent_->agent) && !is_by_proxy(earlier.agent)) {
      const std::int64_t other = earlier.thread - first_;
      if (earlier.is_copy() && first_of_mma_ == INT64_MAX) return false;
      const std::int64_t fences = earlier.is_copy()
                                      ? first_of_mma_ + BlockEvents::warps(threads_) + other
                                      : BlockEvents::agent_of_fences(threads_, other);
      return clocks_->is_before(fences, earlier.block_barriers, thread_);
    }
    if (earlier.is_copy()) {
      return clocks_->is_before(earlier.agent, earlier.block_barriers, thread_);
    }
    if (earlier.thread == first_ + thread_) return true;
    if (clocks_) {
      return clocks_->is_before(earlier.thread - first_, earlier.block_barriers, thread_);
    }
    return earlier.block_barriers < block_barriers_ ||
           (part_of(earlier) == own_part_ &&
            earlier.part_barriers < part_barriers_[std::size_t(own_part_)]);
  }
  // Of memory of the thread's own, which nobody else accesses: whether an earlier access that the
  // thread or what it began made has ended where the thread, or what it begins, accesses it now.
  // Multiplications of one queue are made in order.
  bool has_ended(const Moment& earlier) const {
    return !earlier.is_copy() || (agent_ && agent_->agent == earlier.agent) ||
           clocks_->is_before(earlier.agent, earlier.block_barriers, thread_);
  }
  // Whether an access is one of a matrix multiplication.
  bool is_of_mma(const Moment& m) const { return m.agent >= first_of_mma_; }
  // Whether the access that is made now is that of a copy, and would come after an earlier one but
  // for a proxy fence.
  bool lacks_fence(const Moment& earlier) const {
    return agent_ && is_by_proxy(agent_->agent) && is_here(earlier) && !earlier.is_copy() &&
           clocks_->is_before(earlier.thread - first_, earlier.block_barriers, thread_);
  }
  // Of an access that is made now and has no order with an earlier one: "is read by one thread and
  // accessed by another with no barrier between".
  std::string unordered_text(const Moment& earlier, bool is_read) const;
  // Of threads of one warp that begin a multiplication: some that together know no more than any
  // others of them of what any thread has done. What these may read all may.
  std::span<const std::uint32_t> least_knowing(std::span<const std::uint32_t> warp) const;
  // Whether an access is one of the running block.
  bool is_here(const Moment& m) const { return m.thread >= first_ && m.thread < first_ + threads_; }
  std::int64_t part_of(const Moment& m) const { return part_(m.thread - first_); }

 private:
  bool is_by_proxy(std::int64_t agent) const {
    return agent >= BlockEvents::agent_of_stores(threads_, 0);
  }

  std::int64_t threads_;
  PartOfBlock part_;
  std::int64_t first_ = 0;  // thread of the running block
  std::int64_t thread_ = 0, own_part_ = 0;
  std::uint32_t block_barriers_ = 0, step_ = 0;
  bool sees_all_blocks_ = false;
  std::int64_t first_of_mma_ = INT64_MAX;  // agent
  std::vector<std::uint32_t> part_barriers_;
  std::optional<ThreadClocks> clocks_;
  std::optional<CopyAgent> agent_;
};

}  // namespace selvage
