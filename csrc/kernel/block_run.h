#pragma once

#include <selvage/kernel/block_events.h>
#include <selvage/kernel/kernel.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace selvage {

// What a run does at the statements to which threads come; BlockRun says when.
class BlockActions {
 public:
  using Thread = std::uint32_t;  // its number in the block

  virtual ~BlockActions() = default;
  // The thread that does what comes next; the statements whose variables it has, outer ones first.
  virtual void stand_at(Thread thread, std::span<const Statement* const> variables) = 0;
  // begin and end of a serial loop. Nothing: they are undefined, and it is passed by; likewise
  // below.
  virtual std::optional<std::pair<std::int64_t, std::int64_t>> range(const Statement& loop) = 0;
  virtual void set(const Statement& loop, std::int64_t value) = 0;
  // A Loop that is the index of a block or thread; a Define.
  virtual void name(const Statement& s) = 0;
  virtual std::optional<bool> holds(const Statement& guard_or_while) = 0;
  // A Store or a Transfer.
  virtual void access(const Statement& s) = 0;
  // An AsyncCopy, made by that agent.
  virtual void copy(const Statement& s, CopyAgent agent) = 0;
  // The number of the barrier object that it belongs to; of an Arrive also its bytes, of a Wait its
  // phase, of an AsyncCopy how many bytes it brings.
  struct Signal {
    std::size_t object = 0;
    std::int64_t amount = 0;
  };
  virtual std::optional<Signal> signal(const Statement& s) = 0;
  // All threads that are there give and take.
  virtual void shuffle(const Statement& s, std::span<const Thread> threads) = 0;
  // A thread does wrong, or waits for one that does not come. `what`: "a barrier that ..."
  virtual void diverge(const Statement& s, Thread thread, std::optional<Thread> other,
                       const std::string& what) = 0;
  // Is there anything left to be done? So many operations it has taken besides.
  virtual bool goes_on() const = 0;
  virtual void spend(std::int64_t operations) = 0;
};

// Runs the threads of a block, each at its own pace: one after the other from where it stands to
// where it must wait, and on from there as soon as it need not. What a run without faults does is
// the same whatever the order. Threads meet at a barrier the k-th time round of the loops around it
// if all of them are there for the k-th time. Where nobody can go on, that is told; after a barrier
// that somebody misses those who are there go on, after a wait that nobody ends the block is at its
// end.
class BlockRun {
 public:
  BlockRun(const Body& body, std::int64_t threads, ThreadClocks& clocks, BlockEvents& events,
           BlockActions& actions)
      : body_(body), threads_(threads), clocks_(clocks), events_(events), actions_(actions) {}

  void run(std::span<const std::uint32_t> order);

 private:
  using Thread = BlockActions::Thread;
  static constexpr std::int64_t kMostTurns = 1 << 20;  // of a While
  // A body that a thread is in, and where.
  struct Frame {
    const Body* body;
    const Statement* owner = nullptr;  // none: the kernel
    std::int64_t next = 0, end = 0;    // of a loop: iterations to come
    std::size_t at = 0;
    std::size_t variables = 0;  // those in scope where it begins
    std::int64_t turn = 0;      // of a loop: how often it has come round
  };
  struct Runner {
    std::vector<Frame> frames;
    std::vector<const Statement*> variables;
    const Statement* waits_at = nullptr;
  };

  void run(Thread t);
  void step(Thread t, const Statement& s);
  void stand(Thread t) { actions_.stand_at(t, runners_[t].variables); }
  void enter(Thread t, const Statement& owner, const Body& body, std::int64_t next,
             std::int64_t end);
  void end_body(Thread t);
  void turn(Thread t, const Statement& loop);
  void leave(Thread t, const Leave& leave);
  bool pass_wait(Thread t, const Statement& s);
  void tell(const Statement& s, Thread t, const std::string& what);
  void tell_endless(Thread t, const Statement& s);
  void arrive_at(Thread t, const Statement& s, const Barrier& barrier);
  bool release(bool is_forced);
  bool release_barrier(const Statement& s, const Barrier& barrier, std::span<const Thread> there,
                       bool is_forced);

  const Body& body_;
  std::int64_t threads_;
  ThreadClocks& clocks_;
  BlockEvents& events_;
  BlockActions& actions_;
  std::vector<Runner> runners_;
};

}  // namespace selvage
