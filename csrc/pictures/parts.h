#pragma once

#include <selvage/index/thread_mask.h>
#include <selvage/pictures/svg.h>
#include <selvage/report/report.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

// The drawings that a picture of a report is put together from (picture.h).

namespace selvage {

// No picture is wider, in pixels, and no graph is higher: what would be is drawn smaller.
inline constexpr int kPictureWidth = 960, kMostGraphHeight = 12'000;

// The iterdomain graph: from the root or logical domain to the loops, boxes for iterdomains with
// their names, extents and the cuts they belong to, rounded labels for transforms. Of more than
// kMostDrawnTransforms transforms the first are drawn, and how many are left out is said.
inline constexpr std::size_t kMostDrawnTransforms = 1'000;
Drawing graph_picture(const TensorReport& tensor);

// The loop points as a table, outer loops down and inner loops across, a gap wherever an outer
// index changes: what each stores, and of a hole which iterdomain is out of bounds. With up to
// kMostNumberedRows rows every cell says so in numbers and names; with more, up to kMostSmallRows
// of small cells, by pattern; past that, only the first and the last points are shown, and it is
// said. Nothing where a size is open, or there is no loop.
inline constexpr int kMostNumberedRows = 24, kMostSmallRows = 160, kKeptRows = 10;
std::optional<Drawing> hole_picture(const TensorReport& tensor);

// A tensor in shared memory as it lies in the banks: a row is 128 bytes, a cell a word of one of
// the 32 banks, with the items in it, shaded by their last index, so that a swizzle is seen. What
// the first warp stores and loads at first is outlined; above and below stands which threads go to
// which bank, those that meet in one bank upon each other.
// Of more than kMostLines lines the first are drawn. Nothing for other tensors, or where a size is
// open.
inline constexpr std::int64_t kMostLines = 32;
std::optional<Drawing> bank_picture(const TensorReport& tensor);

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
// Masks side by side, as many as fit into a line of kPictureWidth: when, text,
// count, cells; and what the warps come to, where a block has one. At most kMostDrawnMasks of them,
// and behind the first no more than kMostDrawnCells threads in all.
inline constexpr std::size_t kMostDrawnMasks = 40;
inline constexpr std::int64_t kMostDrawnCells = 16'384;
Drawing mask_list_picture(std::span<const NamedMask> masks);

// One thing that threads do, in program order.
//   Code     a statement
//   Region   what follows at a greater depth is inside of it
//   Barrier  where exactly these threads wait for one another
struct TimelineStep {
  enum class Kind { Code, Region, Barrier };
  Kind kind = Kind::Code;
  std::string label;
  ThreadMask threads;  // all steps have the same levels
  int depth = 0;       // of the regions around it
  bool is_async = false;
};

// Threads across, those that do the same in one column; program order down: a bar of code, a frame
// of a region, a line of a barrier stand at the threads that take part. At most kMostTimelineSteps
// steps and kMostTimelineGroups groups of threads are drawn, and it is said what is not.
inline constexpr std::size_t kMostTimelineSteps = 300, kMostTimelineGroups = 24;
Drawing timeline_picture(std::span<const TimelineStep> steps);

}  // namespace selvage
