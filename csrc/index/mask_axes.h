#pragma once

#include <selvage/index/thread_mask.h>

#include <cstdint>
#include <string>
#include <vector>

namespace selvage {

// The indices of all levels as the axes of a diagram.
struct MaskAxes {
  explicit MaskAxes(const ThreadMask::Levels& levels);

  std::vector<Expr> symbols;
  std::vector<std::int64_t> extents;
  std::vector<std::size_t> begins;  // the first axis of each level, then how many there are
  std::vector<std::int64_t> inner;  // points of the axes from k on; of one past the last, 1
  std::size_t block_axis = 0;       // the first axis in a block

  std::size_t size() const { return extents.size(); }
  // Points of the axes from `begin` up to `end`.
  std::int64_t points(std::size_t begin, std::size_t end) const {
    return inner[begin] / inner[end];
  }
};

// Throws BadInput E343 where the levels make no sense.
void check_levels(const ThreadMask::Levels& levels);

// What lies beyond the axes before `boundary`: by node, at how many of their points it is what is
// left to ask, and the first of them, flat. 0 points: it is not met there.
struct Arrival {
  std::int64_t points = 0, first = INT64_MAX;
};
std::vector<Arrival> arrivals(const MaskDiagram& diagram, const MaskAxes& axes,
                              std::size_t boundary);

// Refuses what is too large, E341: "the mask of" it.
[[noreturn]] void refuse_too_large(const std::string& of, const MaskAxes& axes,
                                   const std::vector<std::uint32_t>& used);

}  // namespace selvage
