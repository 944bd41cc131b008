#pragma once

#include <selvage/base/random.h>
#include <selvage/kernel/barrier_clock.h>
#include <selvage/kernel/statement_tree.h>
#include <selvage/kernel/statements.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace selvage {

// A thread that does wrong, or waits for one that does not come.
struct RunFault {
  enum class Kind : std::uint8_t {
    Missing,   // it waits at a barrier or shuffle that `other` does not reach
    Stranger,  // it gets to a barrier in which it takes no part
    Taken,     // it gets to a barrier where `other` may still wait for others, as one of a set that
               // differs
    Event,     // `what` says all
  };
  Kind kind = Kind::Event;
  std::uint32_t thread = 0;  // its number in the block
  std::optional<std::uint32_t> other = {};
  std::string what = {};  // the barrier's name; of an Event: "a wait for phase 1 that never ends"
};

// What a run does at the statements to which threads come; BlockRun says when.
class BlockActions {
 public:
  using Thread = std::uint32_t;  // its number in the block

  virtual ~BlockActions() = default;
  // From here on that thread runs. The statements whose variables it has, outer ones first: they
  // are kept up to date while it runs.
  virtual void stand_at(Thread thread, const std::vector<PlaceId>& variables) = 0;
  // begin and end of a serial loop. Nothing: they are undefined, and it is passed by; likewise
  // below.
  virtual std::optional<std::pair<std::int64_t, std::int64_t>> range(PlaceId loop) = 0;
  virtual void set(PlaceId loop, std::int64_t value) = 0;
  // A Loop that is the index of a block or thread; a Define.
  virtual void name(PlaceId s) = 0;
  virtual std::optional<bool> holds(PlaceId guard_or_while) = 0;
  // A Store or a Transfer.
  virtual void access(PlaceId s) = 0;
  // An AsyncCopy, made by that agent.
  virtual void copy(PlaceId s, CopyAgent agent) = 0;
  // The number of the barrier object that it belongs to; of an Arrive also its bytes, of a Wait its
  // phase, of an AsyncCopy how many bytes it brings.
  struct Signal {
    std::size_t object = 0;
    std::int64_t amount = 0;
  };
  virtual std::optional<Signal> signal(PlaceId s) = 0;
  // All threads that are there give and take.
  virtual void exchange(PlaceId s, std::span<const Thread> threads) = 0;
  virtual void diverge(PlaceId s, const RunFault& fault) = 0;
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
  // `events`: null where the kernel has none.
  BlockRun(const StatementTree& tree, std::int64_t threads, BarrierClock& clock,
           BlockEvents* events, BlockActions& actions)
      : tree_(tree), threads_(threads), clock_(clock), events_(events), actions_(actions) {}

  // `random`: if there is one, threads go on in an order drawn from it.
  void run(std::vector<std::uint32_t>& order, SplitMix64* random = nullptr);

 private:
  using Thread = BlockActions::Thread;
  static constexpr std::int64_t kMostTurns = 1 << 20;  // of a While
  // A body that a thread is in, and where.
  struct Frame {
    const std::vector<PlaceId>* body;
    PlaceId owner = kTop;            // the kernel
    std::int64_t next = 0, end = 0;  // of a loop: iterations to come
    std::size_t at = 0;
    std::size_t variables = 0;  // those in scope where it begins
    std::int64_t turn = 0;      // of a loop: how often it has come round
  };
  struct Runner {
    std::vector<Frame> frames;
    std::vector<PlaceId> variables;
    PlaceId waits_at = kTop;  // nowhere
  };

  const Statement& statement(PlaceId id) const { return *tree_[id].statement; }
  // Of a statement that threads run together: who they are.
  const Barrier& together_at(PlaceId id) const { return *parts_of(statement(id)).together; }
  void run(Thread t);
  void step(Thread t, PlaceId id);
  void stand(Thread t) { actions_.stand_at(t, runners_[t].variables); }
  void enter(Runner& r, PlaceId owner, const std::vector<PlaceId>& body, std::int64_t next,
             std::int64_t end);
  void end_body(Thread t);
  void turn(Runner& r, PlaceId loop);
  void leave(Runner& r, const Leave& leave);
  bool pass_wait(Thread t, PlaceId id);
  void tell(PlaceId id, Thread t, const std::string& what);
  void tell_endless(Thread t, PlaceId id);
  void arrive_at(Thread t, PlaceId id, const Barrier& barrier);
  bool release(bool is_forced);
  bool release_waits(bool is_forced, bool& is_endless);
  bool comes_before(Thread a, Thread b) const;
  bool release_meeting(std::span<const Thread> there, bool is_forced);
  bool release_barrier(PlaceId id, const Barrier& barrier, std::span<const Thread> there,
                       bool is_forced);

  const StatementTree& tree_;
  std::int64_t threads_;
  BarrierClock& clock_;
  BlockEvents* events_;
  BlockActions& actions_;
  std::vector<Runner> runners_;
  std::vector<Thread> there_;  // who waits at barriers and shuffles
};

}  // namespace selvage
