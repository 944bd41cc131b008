#pragma once

#include <selvage/scheduler/read_moves.h>
#include <selvage/scheduler/segments.h>
#include <selvage/scheduler/typical_sizes.h>
#include <selvage/scheduler/windows.h>

#include <optional>
#include <vector>

namespace selvage {

// A tensor in global memory that the kernel of a segment reads or stores.
struct TensorTraffic {
  TensorId tensor{};
  bool is_stored = false;
  std::int64_t size = 4;  // bytes of an element
  double items = 0;       // of the tensor, at typical sizes
  // The passes in which members read it item by item: folds that wait for the same others share
  // one, any other member has its own; 1 for a store.
  int passes = 1;
  // What is copied where a row is kept: the tensor, or the inlined view through which all members
  // read it.
  TensorId copied{};
  // Whether a copy of a row can serve all passes: only members read it, each item at the copy's own
  // iterdomains, and these are the rows and at least one more iterdomain.
  bool can_be_kept = false;
  // The same for a copy in shared memory: members may read any item of their own row.
  bool can_be_shared = false;
  // Whether only members read it, each at its own iterdomains, so that they can read a copy.
  bool can_be_copied = false;
  // The iterdomain of the segment along which neighbours lie side by side in memory, and how many
  // elements they are apart there; nothing if there is none. Its extent at typical sizes.
  std::optional<DomainId> innermost = {};
  std::int64_t step = 1;
  std::int64_t extent = 1;
  // The iterdomain along which rows of `innermost` lie side by side; nothing if there is none.
  std::optional<DomainId> around = {};
  // Whether the rows of the segment lie one after another in it, item by item as the widest
  // member's nest has them.
  bool lies_by_rows = false;

  double bytes() const { return items * double(size); }
};

// What the kernel of a segment has to do, at typical sizes.
struct SegmentTraffic {
  std::vector<TensorTraffic> tensors;
  double rows = 1;                    // points of the segment's rows
  std::vector<std::int64_t> extents;  // of each of these
  double items = 1;                   // points of the widest member's nest in one row
  // The iterdomains of the widest member that are no rows, but for items of extent 1; folded ones
  // last.
  std::vector<DomainId> inner;
  std::vector<DomainId> folded;  // those of `inner` that the widest member folds over
  // The points of a row at most; nothing where no fact bounds them.
  std::optional<double> most_items = {};
  // Whether a block takes rows in a number of steps, enough for the longest row.
  bool takes_whole_rows(bool is_kept) const {
    return most_items && (is_kept || in_registers + in_shared > 0 || *most_items <= items);
  }
  // Whether more bytes lie side by side along rows than along `inner`.
  bool lies_along_rows = false;
  // Of a pointwise segment: neighbouring iterdomains, outer to inner, along the last of which its
  // stores lie side by side, and others along which a tensor does that can be copied; both are
  // neighbours in both tensors.
  struct Turn {
    std::vector<DomainId> stored, read;
    std::vector<TensorId> copied;  // tensors that lie so; they have all iterdomains of the root
    double stored_extent = 1, read_extent = 1;
  };
  std::optional<Turn> turn = {};
  // A short iterdomain of so many items, a number, along which neighbours lie side by side in some
  // of what is moved, while they lie along the last of `along` in the rest: x[n, 2] and y[2, n].
  struct Across {
    DomainId domain{};
    std::int64_t items = 1;
    std::vector<DomainId> along;  // the rows without it, outer to inner
    bool is_stored = false;       // whether the stores lie along the short one, not the reads
    // Tensors that a thread reads along their own neighbours first, as they lie otherwise than what
    // is stored.
    std::vector<TensorId> copied;
  };
  std::optional<Across> across = {};
  std::optional<Windows> windows = {};
  double instructions = 0;  // of all definitions, for each point of the widest member's nest
  int folds = 0;            // members that fold within a row
  double of_merging = 0;    // instructions of a thread that end such folds, beyond shuffles
  double of_groups = 0;     // and for each group of items that it takes in together
  int scans = 0;            // and those of them that scan
  int columns = 0;          // members that fold over the rows
  // Elements of a row that members compute for one another: in the registers of the thread that
  // computes each, or in shared memory where other threads read them.
  double in_registers = 0, in_shared = 0;
};
SegmentTraffic traffic_of(const Schedule& schedule, const ReadTable& table, const Segment& segment,
                          const TypicalSizes& sizes, ReadMoves& moves);

// The number of points of a tensor's nest at typical sizes, folded iterdomains included.
double points_of(const Fusion& fusion, TensorId t, const TypicalSizes& sizes);

}  // namespace selvage
