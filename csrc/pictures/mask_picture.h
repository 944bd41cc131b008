#pragma once

#include <selvage/index/thread_mask.h>
#include <selvage/pictures/svg.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace selvage {

// The threads of a mask as cells, active ones filled, in the order of the mask's text: thread 0 is
// rightmost. Where a block has at most 32 threads and there are at most kMostMaskRows instances of
// the outer levels, each of these is a row; otherwise each different block is drawn, at most
// kMostDrawnBlocks of them, a warp to a row, with what the warps come to. What is left out is said.
inline constexpr std::int64_t kMostMaskRows = 24;
inline constexpr std::size_t kMostDrawnBlocks = 6;
Drawing mask_picture(const ThreadMask& mask);

// A mask and what it is the mask of; none: it is dynamic.
struct NamedMask {
  std::string when;
  std::optional<ThreadMask> mask;
};
// Masks side by side, as many as fit into a line of kPictureWidth (graph_picture.h): when, text,
// count, cells; and what the warps come to, where a block has one. At most kMostDrawnMasks of them,
// and behind the first no more than kMostDrawnCells threads in all.
inline constexpr std::size_t kMostDrawnMasks = 40;
inline constexpr std::int64_t kMostDrawnCells = 16'384;
Drawing mask_list_picture(std::span<const NamedMask> masks);

}  // namespace selvage
