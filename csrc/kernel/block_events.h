#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/kernel/thread_clocks.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace selvage {

// A copy to all ranks of a cluster (AsyncCopy::by_rank): the rank of who gets there and that of who
// makes it, the number of ranks, and how many objects of its buffer each has.
struct Multicast {
  std::int64_t rank = 0, by_rank = 0, ranks = 1, objects = 0;
};

// Numbers the barrier objects of a kernel; those of one buffer are consecutive.
class BarrierObjects {
 public:
  // `elements`: the number of elements of each buffer.
  BarrierObjects(const Kernel& kernel, std::span<const std::int64_t> elements);

  const std::vector<std::int64_t>& arrivals() const { return arrivals_; }  // per phase, by object
  std::int64_t ranks() const { return ranks_; }                            // of a cluster
  const std::vector<std::int64_t>& rank_of() const { return rank_of_; }    // whose it is, by object
  // The object at an address; nullopt if the address is outside of the buffer.
  std::optional<std::size_t> at(BufferId buffer, std::int64_t address) const;
  // Of a multicast for an object of the buffer.
  Multicast multicast(BufferId buffer, std::int64_t rank, std::int64_t by_rank) const {
    return {rank, by_rank, ranks_, std::int64_t(begin_[buffer + 1] - begin_[buffer]) / ranks_};
  }

 private:
  std::int64_t ranks_;
  std::vector<std::int64_t> arrivals_, rank_of_;
  std::vector<std::size_t> begin_;  // by buffer: its first object; at last the end
};

// Identifies an AsyncCopy by a clock of ThreadClocks: the copy has ended for a thread that knows
// tick `end` of `agent`.
struct CopyAgent {
  std::int64_t agent = 0;
  ThreadClocks::Tick end = 0;
};

// The events of one block during a run: which copies have ended as far as each thread knows, and
// the state of the barrier objects. The order that it derives holds for every run, not only for
// this one. A function that returns text says what the thread does wrong; empty: nothing.
class BlockEvents {
 public:
  // `has_mma`: whether threads have a queue of multiplications.
  BlockEvents(std::int64_t threads, const BarrierObjects& objects, bool has_mma = false);
  // Agents are numbered after the threads. First comes one for each thread's queue, whose ticks are
  // batches: copies between two arrivals, which close groups or belong to objects. Then comes one
  // for each thread's fences, whose tick is that of the thread at its last fence; one for each
  // thread's waits for objects, whose ticks count them; one for each thread's queue of stores; one
  // for each barrier object, whose ticks are phases. Those from the queues of stores on are of the
  // async proxy. Where there are matrix multiplications, one follows for those of each warp, and
  // one for each thread whose tick is that of its queue of copies, as far as the thread knew at its
  // last fence.
  static std::int64_t agents(std::int64_t threads, std::size_t objects, bool has_mma) {
    return 4 * threads + std::int64_t(objects) + (has_mma ? warps(threads) + threads : 0);
  }
  static std::int64_t warps(std::int64_t threads) { return (threads + kWarp - 1) / kWarp; }
  static std::int64_t agent_of_mma(std::int64_t threads, std::size_t objects, std::int64_t thread) {
    return agent_of_object(threads, objects) + thread / kWarp;
  }
  static std::int64_t agent_of_fenced(std::int64_t threads, std::size_t objects,
                                      std::int64_t thread) {
    return agent_of_object(threads, objects) + warps(threads) + thread;
  }
  static std::int64_t agent_of_queue(std::int64_t threads, std::int64_t thread) {
    return threads + thread;
  }
  static std::int64_t agent_of_fences(std::int64_t threads, std::int64_t thread) {
    return 2 * threads + thread;
  }
  static std::int64_t agent_of_waits(std::int64_t threads, std::int64_t thread) {
    return 3 * threads + thread;
  }
  static std::int64_t agent_of_stores(std::int64_t threads, std::int64_t thread) {
    return 4 * threads + thread;
  }
  static std::int64_t agent_of_object(std::int64_t threads, std::size_t object) {
    return 5 * threads + std::int64_t(object);
  }

  void start_block();
  // What belongs to one of the thread's queues, or a copy that belongs to an object.
  CopyAgent begin(std::uint32_t thread, ThreadQueue queue) const;
  CopyAgent copy_for(std::size_t object) const;
  // The thread announces the bytes of a copy, in front of its arrival.
  void announce(std::uint32_t thread, std::size_t object, std::int64_t bytes,
                const ThreadClocks& clocks);
  // A copy of `bytes` bytes, begun by the thread, that belongs to the object has ended.
  // `is_of_other`: another thread announces them, before or after.
  std::string bring(std::uint32_t thread, std::size_t object, std::int64_t bytes, bool is_of_other,
                    ThreadClocks& clocks);
  // The thread passes a proxy fence.
  void fence(std::uint32_t thread, ThreadClocks& clocks) const;
  void close_group(std::uint32_t thread, ThreadQueue queue);
  void wait_for_groups(std::uint32_t thread, const Wait& wait, ThreadClocks& clocks) const;
  std::string arrive(std::uint32_t thread, std::size_t object, std::int64_t bytes,
                     ThreadClocks& clocks);
  // The thread lets the copies of its queue arrive. The arrival tells others of these copies, of
  // phases and of waits, and not of what the thread did itself.
  std::string arrive_of_copies(std::uint32_t thread, std::size_t object, ThreadClocks& clocks);
  // Where all threads have run to their ends: one that has arrived at an object of another rank
  // which may have ended before, as none of its threads knows of that arrival.
  std::optional<std::uint32_t> arrival_after_an_end(const ThreadClocks& clocks) const;
  // The phase of this parity that a thread waits for (Wait::by_parity).
  std::int64_t phase_of(std::uint32_t thread, std::size_t object, std::int64_t parity,
                        const ThreadClocks& clocks) const;
  // The thread reaches a wait for the end of a phase. Hardware tells phases apart by parity only,
  // so the phase before must have ended, and the next one must not.
  std::string begin_wait(std::uint32_t thread, std::size_t object, std::int64_t phase,
                         const ThreadClocks& clocks) const;
  // Whether the phase has ended. If so, the thread goes on and learns what the phase orders.
  bool end_wait(std::uint32_t thread, std::size_t object, std::int64_t phase, ThreadClocks& clocks,
                std::string& wrong);
  // "32 of 64 arrivals and 0 of 128 bytes have come"
  std::string state(std::size_t object) const;
  // All that a run without faults may ask for.
  void describe(RunState& state) const;

 private:
  using Ticks = std::vector<ThreadClocks::Tick>;
  struct Waiter {
    std::uint32_t thread;
    ThreadClocks::Tick tick;
  };
  struct Object {
    std::int64_t arrived = 0, expected = 0, copied = 0;  // in the current phase
    Ticks known;                                         // by the threads that arrived in it
    std::vector<Ticks> ended;                            // `known` of each phase that ended
    std::vector<Waiter> waiters;     // that went on after the last of these, by their waits
    std::vector<Waiter> announcers;  // of bytes in the current phase
    // In the current phase, and in the one before: by the thread that arrived, or its queue.
    std::map<std::int64_t, ThreadClocks::Tick> last_arrival, arrivals_before;
  };
  std::size_t queue(std::uint32_t thread, ThreadQueue queue) const {
    return thread + std::size_t(queue) * std::size_t(threads_);
  }
  std::int64_t agent_of(std::uint32_t thread, ThreadQueue queue) const;
  std::string early(std::uint32_t thread, std::size_t object, bool is_of_copies,
                    const ThreadClocks& clocks) const;
  std::string come(const Ticks& known, Object& o, std::size_t object);

  std::int64_t threads_, ranks_;
  std::size_t queues_;                            // of each thread
  std::vector<std::int64_t> arrivals_, rank_of_;  // by object
  // By queue(): the batches that have ended with an arrival, and of each group so far its last one.
  std::vector<ThreadClocks::Tick> batches_;
  std::vector<Ticks> groups_;
  Ticks waits_;  // that have ended, by thread
  std::vector<Object> objects_;
};

}  // namespace selvage
