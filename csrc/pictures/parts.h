#pragma once

#include <selvage/index/thread_mask.h>
#include <selvage/pictures/svg.h>
#include <selvage/report/report.h>
#include <selvage/report/ring_timeline.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

// The drawings that a picture of a report is put together from (picture.h).

namespace selvage {

// The largest width of a picture, and height of a graph, in pixels; larger ones are scaled down.
inline constexpr int kPictureWidth = 960, kMostGraphHeight = 12'000;

// The iterdomain graph: from the root or logical domain to the loops, boxes for iterdomains with
// their names, extents and the cuts they belong to, rounded labels for transforms. Of more than
// kMostDrawnTransforms transforms the first are drawn, and a note gives the number left out.
inline constexpr std::size_t kMostDrawnTransforms = 1'000;
Drawing graph_picture(const TensorReport& tensor);

// The loop points as a table, outer loops down and inner loops across, with a gap wherever an outer
// index changes. A cell shows the item that the point stores or, for a hole, the iterdomain that is
// out of bounds: as numbers and names with up to kMostNumberedRows rows; as patterns in small cells
// with up to kMostSmallRows; past that, only the first and the last points are shown, with a note.
// nullopt if a size has no value, or there is no loop.
inline constexpr int kMostNumberedRows = 24, kMostSmallRows = 160, kKeptRows = 10;
std::optional<Drawing> hole_picture(const TensorReport& tensor);

// A tensor in shared memory as it lies in the banks: a row is 128 bytes, a cell a word of one of
// the 32 banks with its items, shaded by their last index, so that a swizzle is visible. The words
// of the first store and load of the first warp are outlined. Above and below each bank stand the
// threads that access it; threads that meet in one bank are stacked.
// Only the first kMostLines lines are drawn. nullopt for other tensors, or if a size has no value.
inline constexpr std::int64_t kMostLines = 32;
std::optional<Drawing> bank_picture(const TensorReport& tensor);

// The threads of a mask as cells, active ones filled, in the order of the mask's text: thread 0 is
// rightmost. If a block has at most 32 threads, and there are at most kMostMaskRows instances of
// the outer levels, each instance is a row. Otherwise one block of each kind is drawn, at most
// kMostDrawnBlocks, with a row for each warp and a summary of the warps. A note tells what is left
// out.
inline constexpr std::int64_t kMostMaskRows = 24;
inline constexpr std::size_t kMostDrawnBlocks = 6;
Drawing mask_picture(const ThreadMask& mask);

// A mask and its condition; `mask` is absent if it is dynamic.
struct NamedMask {
  std::string when;
  std::optional<ThreadMask> mask;
};
// Masks side by side, as many as fit into a line of kPictureWidth: condition, text, count, cells;
// and a summary of the warps, if a block has any. At most kMostDrawnMasks masks, and after the
// first no more than kMostDrawnCells threads in all.
inline constexpr std::size_t kMostDrawnMasks = 40;
inline constexpr std::int64_t kMostDrawnCells = 16'384;
Drawing mask_list_picture(std::span<const NamedMask> masks);

// One step of a program, in program order.
//   Code     a statement
//   Region   contains the steps that follow at a greater depth
//   Barrier  exactly these threads wait for one another
struct TimelineStep {
  enum class Kind { Code, Region, Barrier };
  Kind kind = Kind::Code;
  std::string label;
  ThreadMask threads;  // all steps have the same levels
  int depth = 0;       // of the regions around it
  bool is_async = false;
};

// Threads across, with one column for those that do the same; program order down. A bar is code, a
// frame a region, a line a barrier, each at the threads that take part. At most kMostTimelineSteps
// steps and kMostTimelineGroups groups of threads are drawn; a note tells what is left out.
inline constexpr std::size_t kMostTimelineSteps = 300, kMostTimelineGroups = 24;
Drawing timeline_picture(std::span<const TimelineStep> steps);

// A ring of copies that end later, over time: iterations across, and down the copies under way, in
// a row for each slot, who begins them, and who uses what they bring. A bar has the number of its
// tile and its slot, whose colour it has. Arrows are waits: from the end of the copies of a tile to
// its use, and from the use of a tile to the next copies into its slot. Drawn are all iterations if
// they are at most RingTimeline::kMostShown, else the first; a note tells what is left out.
Drawing ring_picture(const RingTimeline& ring);

// What the kernels of a program do a second, over what they do for each byte: a mark over the bytes
// of memory and one over those of L2 for each kernel and for all together, below the roofs of the
// device (memory, L2, issue), both axes logarithmic; and a row of words for each. Of more than
// kMostRooflinePoints kernels the first are drawn, and a note gives the number left out.
inline constexpr std::size_t kMostRooflinePoints = 24;
Drawing roofline_picture(const ProgramCost& cost);

// How rows of different lengths are shared: the steps of the threads that have most, as bars; and
// the first rows with their items, each in the shade of the thread that takes it and with its
// number, a frame around the end of a row on a merge path.
inline constexpr std::size_t kMostDrawnThreads = 24;
Drawing load_picture(const RowLoad& load);

}  // namespace selvage
