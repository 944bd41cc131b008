#pragma once

#include <selvage/scheduler/launch_time.h>
#include <selvage/scheduler/traffic.h>

#include <optional>
#include <string>
#include <vector>

namespace selvage {

// The numbers by which the nests of a segment are cut up. With `inner` for the iterdomains that are
// no rows, merged:
//   along inner:  rows  = [blocks BIDx, rows_of_block TIDy]
//                 inner = [batch, threads TIDx, vector Vectorize]
//     with columns: rows = [blocks BIDx, turns, rows_of_block TIDy]
//     in clusters: inner = [ranks CIDx, batch, threads TIDx, vector Vectorize]
//   along rows:   rows  = [blocks BIDx, threads TIDx, vector Vectorize]
//                 inner = [batch, folders TIDy]
//   by tiles:     blocks BIDx = [the other rows, tiles of two of them], and in a tile
//                 [steps Unroll, warps TIDy, threads TIDx], for a copy in shared memory with its
//                 axes in the other order
//   by windows:   the last two rows = [blocks BIDy, BIDx, folders TIDy, threads TIDx], those before
//                 BIDz, or all blocks along BIDx; a thread computes one item. Where it is kept in
//                 shared memory, what windows read is a tile with a halo (legality/read_tile.h)
// where batch is [steps, at_once Unroll] if a thread waits for what each step reads
//   pointwise:    rows  = [blocks BIDx, threads TIDx, vector Vectorize]
//     across a short iterdomain: the other rows = [blocks BIDx, threads TIDx, vector], and a thread
//                 computes vector x across items; what lies otherwise than what is stored is read
//                 along its own neighbours first. Along rows the same, where a row is short.
struct RowPlan {
  bool is_along_rows = false;
  std::int64_t threads = 128;  // bound to TIDx
  std::int64_t folders = 1;    // bound to TIDy: rows of a block, or threads that share a row
  std::int64_t vector = 1;     // elements of an access
  std::int64_t batch = 1;      // steps of a thread along a row
  std::int64_t at_once = 1;    // steps whose reads are under way at the same time
  // Where what is read more than once stays: in registers, which are read all at once, or in shared
  // memory. Nothing: it is read again.
  std::optional<Memory> kept = {};
  // Whether it comes to shared memory by copies that end later (cp.async), all of a row at once and
  // past registers.
  bool is_copied_late = false;
  // More than 1: the blocks of a cluster that share a row, of which each keeps a part in its shared
  // memory; they fold the row together.
  std::int64_t ranks = 1;
  // Pointwise: elements along a side of a square tile that turns round in shared memory; 0: none.
  std::int64_t tile = 0;
  // More than 1: items of a short iterdomain, all of which a thread takes (SegmentTraffic::Across).
  std::int64_t across = 1;
  // More than 1: about so many blocks fold each row, in parts of batch steps of all its threads,
  // and a second kernel folds the parts. Of a scan: a first kernel folds each part, a second scans
  // what they come to, a third scans each part.
  std::int64_t parts = 1;
  // Whether each row is moved so far that its vectors are aligned (Schedule::skew): rows that are
  // no multiple of a vector begin at odd addresses.
  bool is_skewed = false;
  // Whether a block computes a tile of the items that are read in windows
  // (SegmentTraffic::windows).
  bool is_windowed = false;
  // Rows that a block computes one after another, while it folds them for columns.
  std::int64_t turns = 1;
  // There is one row, and the last block of the kernel of this tensor computes it: threads *
  // folders are the threads of that block, all of which go along the row.
  std::optional<TensorId> last_block_of = {};

  // Whether what is legal of one plan is legal of the other: they differ in numbers of threads and
  // steps.
  bool is_alike(const RowPlan& other) const;
  std::string text() const;  // "128 threads a row, 2 rows a block, vectors of 4, kept in registers"
};

struct RatedPlan {
  RowPlan plan;
  LaunchTime time;
};

// Whether to rate few threads that go along a row in many steps, too: more of them are faster.
enum class Listed : std::uint8_t { Likely, All };
// The plans for a segment, the fastest first.
std::vector<RatedPlan> plans_for(const Fusion& fusion, const Segment& segment,
                                 const SegmentTraffic& traffic, const Device& device,
                                 Listed listed);

// A kernel whose last block may compute what has one row: the tensor at whose nest it begins, and
// the threads of its blocks along x and y.
struct LastBlockHost {
  TensorId root{};
  std::int64_t x = 1, y = 1;
};
// The plans by which that block computes a segment, the fastest first; their times are what the
// kernel takes longer. None where the segment has rows, or scans.
std::vector<RatedPlan> last_block_plans(const Fusion& fusion, const Segment& segment,
                                        const SegmentTraffic& traffic, const Device& device,
                                        const LastBlockHost& host);

}  // namespace selvage
