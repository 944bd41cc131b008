#pragma once

#include <selvage/kernel/barrier_clock.h>
#include <selvage/kernel/effect.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace selvage {

// Accesses of one element and one effect that are not ordered among themselves and need not be, as
// many of them as tell of any later access whether it comes after all:
//   of two blocks any later access misses one: one of another block is kept for good;
//   in the running block those before its last barrier come before all that follows, and of two
//   warps since then any later access misses one: two warps are kept, those of the last barrier;
//   in a warp, likewise, two threads since its last barrier, or one if there is but one.
class RecentAccesses {
 public:
  void add(const BarrierClock& clock);
  // An access that does not come before now.
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

// The same where threads are clocked: all but those after which another of them comes; of other
// blocks, one.
class ClockedAccesses {
 public:
  void add(const BarrierClock& clock);
  std::optional<Moment> unordered(const BarrierClock& clock) const;

 private:
  std::vector<Moment> moments_;
};

// How elements of memory have been accessed, and which accesses race: two threads, or a thread and
// a copy of its own, that conflict, with nothing to order them. Exact: if any two accesses of an
// element race, the later one of some such pair is told.
class AccessLog {
 public:
  struct Element {
    Moment write;              // the last Write
    std::uint32_t visits = 0;  // how often it was stored
    std::uint32_t owner = 0;   // the buffer through which it was stored
  };
  struct Race {
    Moment other;
    Effect effect;  // of the other
  };

  AccessLog() = default;
  explicit AccessLog(std::size_t elements) : elements_(elements) {}
  std::size_t size() const { return elements_.size(); }
  const std::vector<Element>& elements() const { return elements_; }
  // One element more; its number.
  std::size_t add();
  void forget();

  // One access now, with what it races with. What is stored is stored through buffer `owner`.
  std::optional<Race> access(std::size_t element, Effect effect, std::uint32_t owner,
                             const BarrierClock& clock);

 private:
  std::optional<Race> race(std::size_t element, Effect effect, const BarrierClock& clock) const;
  void note(std::size_t element, Effect effect, const BarrierClock& clock);

  std::vector<Element> elements_;
  // By effect; each is as long as the elements that were accessed that way want. Those of Write
  // stay empty: all but the last are ordered.
  std::array<std::vector<RecentAccesses>, kEffects> recent_;
  std::array<std::vector<ClockedAccesses>, kEffects>
      clocked_;  // instead, where threads are clocked
  bool has_noted_ = false;
};

}  // namespace selvage
