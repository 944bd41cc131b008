#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/kernel/thread_clocks.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace selvage {

// The barrier objects of a kernel by number: those of one buffer lie behind one another.
class BarrierObjects {
 public:
  // `elements`: of each buffer.
  BarrierObjects(const Kernel& kernel, std::span<const std::int64_t> elements);

  const std::vector<std::int64_t>& arrivals() const { return arrivals_; }  // that each takes
  // Nothing where the address is outside of the buffer.
  std::optional<std::size_t> at(BufferId buffer, std::int64_t address) const;

 private:
  std::vector<std::int64_t> arrivals_;
  std::vector<std::size_t> begin_;  // by buffer, and where the last one's end
};

// Who makes a copy that ends later. It has ended for whoever knows that tick of that agent.
struct CopyAgent {
  std::int64_t agent = 0;
  ThreadClocks::Tick end = 0;
};

// The events of one block while it runs: which copies have ended for whom, and how far barrier
// objects are. What it says of an order holds for every run, not for the one at hand alone. Each
// function that returns text says what is wrong with what the thread does; empty: nothing.
class BlockEvents {
 public:
  // `arrivals`: of each barrier object.
  BlockEvents(std::int64_t threads, std::vector<std::int64_t> arrivals);
  static std::int64_t agents(std::int64_t threads, std::size_t objects) {
    return threads + std::int64_t(objects);
  }

  void start_block();
  // A copy that belongs to the thread's queue, or to an object, to which it brings so many bytes.
  CopyAgent copy(std::uint32_t thread) const;
  CopyAgent copy_for(std::size_t object) const;
  std::string bring(std::uint32_t thread, std::size_t object, std::int64_t bytes,
                    ThreadClocks& clocks);
  void close_group(std::uint32_t thread) { ++groups_[thread]; }
  void wait_for_groups(std::uint32_t thread, std::int64_t pending, ThreadClocks& clocks) const;
  std::string arrive(std::uint32_t thread, std::size_t object, std::int64_t bytes,
                     ThreadClocks& clocks);
  // The thread gets to a wait for the end of a phase. A wait tells phases apart by their parity.
  std::string begin_wait(std::uint32_t thread, std::size_t object, std::int64_t phase,
                         const ThreadClocks& clocks) const;
  // Has the phase ended? Then the thread goes on, and knows what was done before.
  bool end_wait(std::uint32_t thread, std::size_t object, std::int64_t phase, ThreadClocks& clocks,
                std::string& wrong);
  // "32 of 64 arrivals and 0 of 128 bytes have come"
  std::string state(std::size_t object) const;

 private:
  struct Waiter {
    std::uint32_t thread;
    ThreadClocks::Tick tick;
  };
  struct Object {
    std::int64_t arrived = 0, expected = 0, copied = 0;  // in the phase at hand
    std::vector<ThreadClocks::Tick> known;               // to those who have arrived in it
    std::vector<std::vector<ThreadClocks::Tick>> ended;  // the same, of each phase that ended
    std::vector<Waiter> waiters;                         // of the last that ended, who went on
  };
  std::string come(std::uint32_t thread, Object& o, std::size_t object, ThreadClocks& clocks);

  std::int64_t threads_;
  std::vector<std::int64_t> arrivals_;
  std::vector<std::int64_t> groups_;  // that each thread has closed
  std::vector<Object> objects_;
};

}  // namespace selvage
