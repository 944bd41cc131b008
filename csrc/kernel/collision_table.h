#pragma once

#include <selvage/kernel/part.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

namespace selvage {

// The threads that access each address, ascending; parts of the block have so many threads each.
class CollisionTable {
 public:
  explicit CollisionTable(PartOfBlock part) : part_(part) {}
  void clear() { entries_.clear(); }
  bool is_empty() const { return entries_.empty(); }
  void add(std::int64_t address, std::int64_t t) { entries_.push_back({address, t}); }

  // Sorts what was added: by counting what lies in each bucket of addresses, and within buckets.
  void close() {
    begins_.assign(2, 0);
    if (entries_.empty()) return;
    const auto [least, most] = std::ranges::minmax(entries_, {}, &Entry::address);
    first_ = least.address;
    const auto range = std::uint64_t(most.address) - std::uint64_t(first_);
    shift_ = 0;
    while (range >> shift_ >= kBucketsOfEntry * entries_.size()) ++shift_;
    begins_.assign((range >> shift_) + 2, 0);
    for (const Entry& e : entries_) ++begins_[bucket(e.address) + 1];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    if (std::ranges::is_sorted(entries_)) return;
    sorted_.resize(entries_.size());
    ends_.assign(begins_.begin(), begins_.end() - 1);
    for (const Entry& e : entries_) sorted_[ends_[bucket(e.address)]++] = e;
    std::swap(entries_, sorted_);
    if (std::ranges::is_sorted(entries_)) return;
    for (std::size_t b = 0; b + 1 < begins_.size(); ++b) {
      std::sort(entries_.begin() + begins_[b], entries_.begin() + begins_[b + 1]);
    }
  }

  // A thread of another part than t that accesses the address, and another one of the same part.
  std::optional<std::int64_t> across(std::int64_t address, std::int64_t t) const {
    const std::span<const Entry> all = at(address);
    if (all.empty()) return std::nullopt;
    if (part_(all.front().thread) != part_(t)) return all.front().thread;
    if (part_(all.back().thread) != part_(t)) return all.back().thread;
    return std::nullopt;
  }
  std::optional<std::int64_t> within(std::int64_t address, std::int64_t t) const {
    const std::span<const Entry> all = at(address);
    auto own = std::ranges::lower_bound(all, part_(t) * part_.threads(), {}, &Entry::thread);
    while (own != all.end() && own->thread == t) ++own;
    if (own == all.end() || part_(own->thread) != part_(t)) return std::nullopt;
    return own->thread;
  }

 private:
  static constexpr std::uint64_t kBucketsOfEntry = 4;
  struct Entry {
    std::int64_t address, thread;

    auto operator<=>(const Entry&) const = default;
  };

  std::size_t bucket(std::int64_t address) const {
    return (std::uint64_t(address) - std::uint64_t(first_)) >> shift_;
  }
  std::span<const Entry> at(std::int64_t address) const {
    const std::size_t b = bucket(address);  // a large number for what is below the first
    if (b >= begins_.size() - 1) return {};
    const auto all = std::span(entries_).subspan(begins_[b], begins_[b + 1] - begins_[b]);
    if (shift_ == 0) return all;
    const auto [begin, end] = std::ranges::equal_range(all, address, {}, &Entry::address);
    return {begin, end};
  }

  PartOfBlock part_;
  std::vector<Entry> entries_, sorted_;
  // Buckets of 2^shift_ addresses from the first one on: where their entries begin, and end.
  std::int64_t first_ = 0;
  int shift_ = 0;
  std::vector<std::uint32_t> begins_, ends_;
};

}  // namespace selvage
