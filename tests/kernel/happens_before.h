// What comes before what in a run of a kernel, event by event: every thread runs alone, those of
// one meeting at a barrier become one event, and the rest is reachability. Knows nothing of clocks.
#pragma once

#include <selvage/kernel/kernel.h>

#include <cstdint>
#include <map>
#include <vector>

namespace selvage::test {

// Of a kernel of one block without sizes, atomic stores, shuffles and barrier objects.
class HappensBefore {
 public:
  explicit HappensBefore(const Kernel& kernel);

  // Some meeting lacks a thread, or has one too many; or a hardware barrier has two users.
  bool diverges() const { return diverges_; }
  // Of kernels that do not diverge; the second of those that do not race either.
  bool races() const { return races_; }
  bool reads_uninitialised() const { return reads_uninitialised_; }
  std::size_t events() const { return events_.size(); }

 private:
  struct Access {
    BufferId buffer;
    std::int64_t address, thread;
    bool is_write;
  };
  struct Event {
    std::vector<Access> accesses;
    const Barrier* barrier = nullptr;
    std::vector<std::int64_t> threads;  // that meet
    std::vector<std::size_t> before;    // of each of these threads, what it did last
  };
  enum class Way { On, Next, Behind };
  using Trips = std::vector<std::int64_t>;

  std::int64_t value(Expr e) const;
  Way run(const Body& body);
  Way run(const Statement& s);
  void read(ValueId v, Event& into) const;
  void add(Event event);
  void meet(const Statement& s, const Barrier& barrier);
  void begin(const Transfer& copy);
  void end_groups(std::int64_t pending);
  void close();
  bool comes_before(std::size_t a, std::size_t b) const {
    return (reached_[b][a / 64] >> a % 64 & 1) != 0;
  }
  void judge_meetings();
  void judge_accesses();
  bool is_kept_apart(const Event& b, std::size_t a) const;

  const Kernel& kernel_;
  std::map<std::uint32_t, std::int64_t> values_;
  std::int64_t threads_ = 0, thread_ = 0;
  Trips trips_;
  Expr left_;  // the loop that is being left
  std::vector<Event> events_;
  std::vector<std::size_t> last_;  // of each thread
  // Copies of the running thread: of the groups that are closed, and of the open one.
  std::vector<std::vector<std::size_t>> groups_;
  std::vector<std::size_t> open_group_;
  std::map<std::pair<std::pair<const Statement*, std::int64_t>, Trips>, std::size_t> meetings_;
  std::vector<std::vector<std::uint64_t>> reached_;  // from which others, by event
  bool diverges_ = false, races_ = false, reads_uninitialised_ = false;
};

}  // namespace selvage::test
