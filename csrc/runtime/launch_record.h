#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace selvage {

// The kernels that were launched and are not known to have finished. It is needed since the driver
// reports a fault in a later call and does not name the kernel. Any thread writes to it at every
// launch, without a lock: two atomic additions and three stores. Streams are hashed to kRows rows,
// each of which keeps the last kNames launches.
class LaunchRecord {
 public:
  static constexpr std::size_t kNames = 8;

  // A point in the order of launches.
  using Mark = std::uint64_t;
  Mark mark() const { return next_.load(std::memory_order_relaxed); }

  // `name` outlives the record. Streams are identified by their handles.
  void launched(const void* stream, const std::string* name) noexcept {
    Row& row = row_of(stream);
    const std::uint32_t at = row.next.fetch_add(1, std::memory_order_relaxed) % kNames;
    Entry& entry = row.entries[at];
    entry.order.store(next_.fetch_add(1, std::memory_order_relaxed), std::memory_order_relaxed);
    entry.stream.store(stream, std::memory_order_relaxed);
    entry.name.store(name, std::memory_order_release);
  }
  // Every kernel launched before the mark, on the stream or on any, has run without a fault.
  void finished(const void* stream, Mark before) noexcept;
  void all_finished(Mark before) noexcept;

  // The kernels not known to have finished, the last launch first, at most kNames.
  std::vector<const std::string*> pending() const;
  // Those of the stream since the mark. forget() removes them: they were captured, and did not run.
  std::vector<const std::string*> pending(const void* stream, Mark since) const;
  void forget(const void* stream, Mark since) noexcept;

 private:
  static constexpr std::size_t kRows = 32;  // a power of two
  struct Entry {
    std::atomic<std::uint64_t> order{0};
    std::atomic<const void*> stream{nullptr};
    std::atomic<const std::string*> name{nullptr};  // null: nothing, or finished
  };
  struct alignas(64) Row {
    std::atomic<std::uint32_t> next{0};
    std::array<Entry, kNames> entries;
  };
  static std::size_t number(const void* stream) {
    // The product's high bits: handles are addresses, alike in their low bits.
    return (reinterpret_cast<std::uintptr_t>(stream) * 0x9E3779B97F4A7C15U) >> 59U;
  }
  Row& row_of(const void* stream) { return rows_[number(stream)]; }
  template <class Wanted>
  std::vector<const std::string*> names(const Wanted& wanted) const;

  std::atomic<std::uint64_t> next_{0};
  std::array<Row, kRows> rows_;
};

}  // namespace selvage
