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

// A fault of a thread: it does something wrong, or waits for a thread that does not come.
struct RunFault {
  enum class Kind : std::uint8_t {
    Missing,   // the thread waits at a barrier or shuffle that `other` does not reach
    Stranger,  // the thread reaches a barrier of which it is no member
    Taken,     // the thread reaches a barrier whose id `other` may still be waiting at, for a
               // barrier with other members
    Event,     // `what` says all
  };
  Kind kind = Kind::Event;
  std::uint32_t thread = 0;  // its number in the block
  std::optional<std::uint32_t> other = {};
  std::string what = {};  // the barrier's name; of an Event: "a wait for phase 1 that never ends"
};

class BlockRun;

// The actions of a run at the statements that threads reach. BlockRun calls them.
class BlockActions {
 public:
  using Thread = std::uint32_t;  // its number in the block

  virtual ~BlockActions() = default;
  // From here on `thread` runs. `variables`: the statements whose variables it has, outer ones
  // first; BlockRun keeps the list up to date while the thread runs.
  virtual void stand_at(Thread thread, const std::vector<PlaceId>& variables) = 0;
  // The thread comes to a statement, or to a further iteration of a loop.
  virtual void come_to(PlaceId) {}
  // begin and end of a serial loop. Here and below, nullopt: the value is undefined, and the
  // statement is skipped.
  virtual std::optional<std::pair<std::int64_t, std::int64_t>> range(PlaceId loop) = 0;
  virtual void set(PlaceId loop, std::int64_t value) = 0;
  // A Loop that is the index of a block or thread; a Define.
  virtual void name(PlaceId s) = 0;
  virtual std::optional<bool> holds(PlaceId guard_or_while) = 0;
  // A Store or a Transfer.
  virtual void access(PlaceId s) = 0;
  // An AsyncCopy, identified by the agent. Of a multicast: to the piece of so many ranks further
  // on.
  virtual void copy(PlaceId s, CopyAgent agent, std::int64_t ranks_on = 0) = 0;
  // Of an event: the number of its barrier object, and the bytes of an Arrive, the phase of a Wait,
  // or the bytes that an AsyncCopy brings.
  struct Signal {
    std::size_t object = 0;
    std::int64_t amount = 0;
    std::optional<Multicast> multicast = {};
  };
  virtual std::optional<Signal> signal(PlaceId s) = 0;
  // A Shuffle among these threads, or an Mma, of which these make their rows: those of a warp.
  virtual void exchange(PlaceId s, std::span<const Thread> threads) = 0;
  // Whether the block, all of whose threads have come to a LastBlock, is the last one there. Asked
  // once for each block.
  virtual bool is_last_block(PlaceId s) = 0;
  // These threads have waited for one another at a Barrier.
  virtual void meet(PlaceId, std::span<const Thread>) {}
  virtual void diverge(PlaceId s, const RunFault& fault) = 0;
  // All threads stand where they had to wait; those that need not any more run next.
  virtual void begin_round(const BlockRun&) {}
  // False ends the run. spend() tells of operations that BlockRun itself has taken.
  virtual bool goes_on() const = 0;
  virtual void spend(std::int64_t operations) = 0;
};

// Runs the threads of a block, each at its own pace: one thread after the other, from where it
// stands to where it must wait, and further as soon as it need not wait. A run without faults does
// the same in any order of threads. Threads meet at a barrier in the k-th iteration of the loops
// around it if all of them are there for the k-th time. If no thread can go on, diverge() is
// called: after a barrier that some thread misses, those that are there go on; after a wait that
// never ends, the run of the block ends.
class BlockRun {
 public:
  // `events`: null if the kernel has none.
  BlockRun(const StatementTree& tree, std::int64_t threads, BarrierClock& clock,
           BlockEvents* events, BlockActions& actions)
      : tree_(tree),
        threads_(threads),
        clock_(clock),
        events_(events),
        actions_(actions),
        runners_(std::size_t(threads)) {}

  // In these loops no thread is more than an iteration ahead of the slowest while others can go on.
  // So the same state may come again, even where some wait for nobody.
  void keep_pace(std::vector<PlaceId> loops) { paced_ = std::move(loops); }
  // `random`: if not null, the order of threads is drawn from it.
  void run(std::vector<std::uint32_t>& order, SplitMix64* random = nullptr);

  // Of a thread of the block that runs, or ran last.
  bool has_ended(std::uint32_t t) const { return runners_[t].frames.empty(); }
  std::optional<PlaceId> waits_at(std::uint32_t t) const {
    const PlaceId at = runners_[t].waits_at;
    return at == kTop ? std::nullopt : std::optional(at);
  }
  // The iteration of one of these loops that the thread is in.
  struct Turn {
    PlaceId loop = 0;
    std::int64_t iteration = 0;
  };
  std::optional<Turn> turn_of(std::uint32_t t, std::span<const PlaceId> loops) const;
  // Where the threads stand; iterations of these loops are counted from `from` on, and not how many
  // are left.
  void describe(RunState& state, std::span<const PlaceId> loops, std::int64_t from) const;

 private:
  using Thread = BlockActions::Thread;
  static constexpr std::int64_t kMostTurns = 1 << 20;  // of a While
  // A body that a thread is in, and its position there.
  struct Frame {
    const std::vector<PlaceId>* body;
    PlaceId owner = kTop;            // the kernel
    std::int64_t next = 0, end = 0;  // of a loop: iterations to come
    std::size_t at = 0;
    std::size_t variables = 0;  // the number in scope where it begins
    std::int64_t turn = 0;      // of a loop: iterations done
  };
  struct Runner {
    std::vector<Frame> frames;
    std::vector<PlaceId> variables;
    PlaceId waits_at = kTop;    // nowhere
    bool is_held = false;       // by the pace, until the next round
    PlaceId arrived_at = kTop;  // its last arrival at an object
  };

  const Statement& statement(PlaceId id) const { return *tree_[id].statement; }
  // The members of a statement that threads run together.
  const Barrier& together_at(PlaceId id) const { return *parts_of(statement(id)).together; }
  void run(Thread t);
  bool goes_on(Thread t) const {
    const Runner& r = runners_[t];
    return r.waits_at == kTop && !r.is_held && !r.frames.empty();
  }
  void set_pace(bool has_released);
  void step(Thread t, PlaceId id);
  void stand(Thread t) { actions_.stand_at(t, runners_[t].variables); }
  void enter(Runner& r, PlaceId owner, const std::vector<PlaceId>& body, std::int64_t next,
             std::int64_t end);
  void end_body(Thread t);
  void turn(Runner& r, PlaceId loop);
  void leave(Runner& r, const Leave& leave);
  std::optional<BlockActions::Signal> waited_for(Thread t, PlaceId id);
  bool pass_wait(Thread t, PlaceId id);
  void tell(PlaceId id, Thread t, const std::string& what);
  void tell_endless(Thread t, PlaceId id);
  void tell_arrival_after_an_end();
  void close_group(Thread t, PlaceId id, const Arrive& arrive);
  void wait_for_groups(Thread t, PlaceId id, const Wait& wait);
  void begin_copy(Thread t, PlaceId id, const AsyncCopy& copy);
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
  std::vector<Thread> there_;  // threads that wait at barriers and shuffles
  std::vector<PlaceId> paced_;
  std::int64_t slowest_ = 0, lead_ = 1;  // the slowest one's iteration, and how far others may be
};

}  // namespace selvage
