#pragma once

#include <selvage/kernel/barrier_clock.h>
#include <selvage/kernel/effect.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace selvage {

// Past accesses of one element, all with the same effect. Only as many are kept as decide whether
// all of them come before a later access:
//   Two blocks: a later access is unordered with that of the other block. One access of a block
//   that has ended is kept for good.
//   Two warps of the running block: accesses before the block's last barrier are ordered with all
//   that follow. A later access is unordered with that of another warp since, so those of two warps
//   are kept.
//   Two threads of a warp: likewise, two threads since the warp's last barrier are kept.
class RecentAccesses {
 public:
  void add(const BarrierClock& clock);
  // A past access that does not come before now; nullopt if there is none.
  std::optional<Moment> unordered(const BarrierClock& clock) const;

 private:
  struct OfWarp {
    Moment last;
    std::int64_t second = -1;  // another thread of the warp since its last barrier
    std::uint32_t second_step = 0;
  };
  std::array<OfWarp, 2> warps_;
  std::int64_t of_another_block_ = -1;
};

// The same where threads have vector clocks. An access is dropped when a later one comes after it;
// of the accesses of other blocks, one is kept.
class ClockedAccesses {
 public:
  void add(const BarrierClock& clock);
  std::optional<Moment> unordered(const BarrierClock& clock) const;
  const std::vector<Moment>& moments() const { return moments_; }

 private:
  std::vector<Moment> moments_;
};

// The past accesses of each element of memory. It finds races: two accesses of an element that
// conflict and are not ordered, by two threads, or by a thread and a copy that the thread began.
// Exact: if any two accesses of an element race, access() reports one race of the element.
class AccessLog {
 public:
  struct Element {
    Moment write;              // the last Write
    std::uint32_t visits = 0;  // the number of stores
    std::uint32_t owner = 0;   // the buffer of the last store
  };
  struct Race {
    Moment other;
    Effect effect;  // of the other access
  };

  AccessLog() = default;
  explicit AccessLog(std::size_t elements) : elements_(elements) {}
  std::size_t size() const { return elements_.size(); }
  const std::vector<Element>& elements() const { return elements_; }
  // Adds an element and returns its number.
  std::size_t add();
  void forget();

  // Records an access made now and returns a past access that it races with. `owner`: the buffer of
  // a store.
  std::optional<Race> access(std::size_t element, Effect effect, std::uint32_t owner,
                             const BarrierClock& clock);
  // Where threads are clocked.
  void describe(RunState& state) const;

 private:
  std::optional<Race> race(std::size_t element, Effect effect, const BarrierClock& clock) const;
  void note(std::size_t element, Effect effect, const BarrierClock& clock);

  std::vector<Element> elements_;
  // By effect, then element; only as long as the elements accessed that way need. Those of Write
  // stay empty: all writes but the last are ordered.
  std::array<std::vector<RecentAccesses>, kEffects> recent_;
  std::array<std::vector<ClockedAccesses>, kEffects>
      clocked_;  // instead, where threads are clocked
  bool has_noted_ = false;
};

}  // namespace selvage
