#pragma once

#include <selvage/kernel/thread_clocks.h>

#include <cstdint>
#include <vector>

namespace selvage {

// The state of a run of a block, written so that two states are equal where all that follows them
// is: what a run asks of ticks is only which of two is greater, and of the phases of an object, how
// far they are from the one that is there now. So ticks of one clock are written as ranks among
// those that the state has, and phases are counted from the present one (theorem 19).
class RunState {
 public:
  using Tick = ThreadClocks::Tick;

  // `groups`: of each queue, the last ones that a wait may ask for.
  RunState(std::int64_t threads, std::int64_t groups) : threads_(threads), groups_(groups) {}

  std::int64_t threads() const { return threads_; }
  std::int64_t groups() const { return groups_; }

  // What has to be the same number.
  void number(std::int64_t value) { entries_.push_back({kNumber, value}); }
  // A tick of the clock of a thread or another agent (kernel/block_events.h).
  void tick(std::int64_t agent, Tick tick) { entries_.push_back({agent, std::int64_t(tick)}); }
  void ticks(const std::vector<Tick>& of_all);
  // How many phases have ended, of one object after the other.
  void phases_ended(std::int64_t count) { ended_.push_back(count); }

  std::size_t size() const { return entries_.size(); }
  const std::vector<std::int64_t>& phases_ended() const { return ended_; }
  std::vector<std::int64_t> normal_form() const;

 private:
  static constexpr std::int64_t kNumber = -1;
  struct Entry {
    std::int64_t agent, value;
  };
  std::int64_t clock_of(std::int64_t agent) const;
  std::int64_t first_behind_objects() const;

  std::int64_t threads_, groups_;
  std::vector<Entry> entries_;
  std::vector<std::int64_t> ended_;
};

}  // namespace selvage
