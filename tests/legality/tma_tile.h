#pragma once

#include <selvage/legality/tma.h>

#include <optional>
#include <vector>

namespace selvage {

// What one element of shared memory holds after the copies.
struct TmaElement {
  static constexpr std::int64_t kZero = -1;    // 0, from the hardware
  static constexpr std::int64_t kNoItem = -2;  // memory of the tensor that is none of its items

  std::int64_t holds = kZero;         // the row-major number of an item, or one of these
  std::optional<std::int64_t> wants;  // the item of this loop point; nothing: it is a hole

  bool is_right() const { return wants ? holds == *wants : holds == kZero; }
  friend bool operator==(const TmaElement&, const TmaElement&) = default;
};

// Each copy's tile, one after the other in the order of the loops that issue them, each tile in the
// order of its loops: what the hardware brings by the tensor map alone; with the fallback, copies
// without a valid element bring 0. Nothing where an extent or a stride is no number, or there are
// more than 2^20 elements or items.
std::optional<std::vector<TmaElement>> modelled_tile(const Fusion& fusion, const Schedule& schedule,
                                                     const TensorAnalysis& analysis,
                                                     const TmaCopy& copy, bool with_fallback);

}  // namespace selvage
