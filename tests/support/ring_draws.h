// How rings of any make are drawn.
#pragma once

#include <selvage/base/random.h>

#include <cstddef>
#include <cstdint>

namespace selvage::test {

struct RingDraws {
  RingDraws(std::uint64_t seed, std::int64_t odds) : random(seed), odds(odds) {}

  std::int64_t below(std::int64_t n) { return std::int64_t(random.next() % std::uint64_t(n)); }
  // `other` once in so many times.
  std::int64_t rarely(std::int64_t usual, std::int64_t other) {
    return below(odds) == 0 ? other : usual;
  }
  // Once in three times leaves a part out, or puts it elsewhere.
  void change(auto& parts) {
    if (below(3) != 0) return;
    const auto at = std::size_t(below(std::int64_t(parts.size())));
    const auto moved = parts[at];
    parts.erase(parts.begin() + std::ptrdiff_t(at));
    if (below(3) == 0) return;
    parts.insert(parts.begin() + below(std::int64_t(parts.size()) + 1), moved);
  }

  SplitMix64 random;
  std::int64_t odds;
};

}  // namespace selvage::test
