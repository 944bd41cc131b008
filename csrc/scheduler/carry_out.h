#pragma once

#include <selvage/scheduler/row_plan.h>

#include <optional>
#include <vector>

namespace selvage {

// A segment whose nests are cut up by a plan, in a schedule.
struct PlannedSegment {
  Schedule& schedule;
  const Segment& segment;
  const SegmentTraffic& traffic;
  const RowPlan& plan;
};

// Cuts up the nests of all members. Throws what the primitives of Schedule throw.
void carry_out(const PlannedSegment& planned);

// The cuts of a nest that plans of all kinds make.
class NestCuts {
 public:
  explicit NestCuts(const PlannedSegment& p)
      : s_(p.schedule),
        segment_(p.segment),
        traffic_(p.traffic),
        plan_(p.plan),
        root_(p.segment.root) {}

 protected:
  using Loops = std::vector<ScheduledLoop>;

  std::string unused(TensorId t, const char* name) const;  // that no loop of the tensor has
  static void append(Loops& order, std::optional<ScheduledLoop> loop);
  static Loops of(TensorId t, Loops loops);  // the loops of these names of another tensor

  // These loops first; then those of items of extent 1, then what is still folded.
  void put_in_order(TensorId t, Loops order);
  // Leaves the groups of `loop` and returns the loop over the elements of a group.
  std::optional<ScheduledLoop> cut_vector(ScheduledLoop& loop);
  // Has blocks run along a loop, `threads` iterations each: the loop over blocks, and that of a
  // block.
  Loops cut_blocks(ScheduledLoop loop, std::int64_t threads);
  // Has threads run through a loop, each in so many steps as it takes, some of them at once.
  void cut_steps(ScheduledLoop loop, std::int64_t threads, ParallelType type, std::int64_t at_once,
                 Loops& order);

  Schedule& s_;
  const Segment& segment_;
  const SegmentTraffic& traffic_;
  const RowPlan& plan_;
  const TensorId root_;

 private:
  void cut_neighbours(ScheduledLoop loop, std::int64_t threads, ParallelType type,
                      std::int64_t at_once, Loops& order);
};

// Tensors that are stored along other iterdomains than they are read: by tiles that turn round in
// shared memory, or by threads that take a short iterdomain whole.
void cut_tiles(const PlannedSegment& planned);
void cut_across(const PlannedSegment& planned);
// A fold that reads windows: tiles of its items, and of what they read.
void cut_windows(const PlannedSegment& planned);
// What lies along the other one of the two iterdomains is read so, into registers of `thread`.
void copy_across(const PlannedSegment& planned, ScheduledLoop thread);

// Folds and scans of rows by several blocks, in kernels one after another.
void fold_in_parts(const PlannedSegment& planned);
void scan_in_parts(const PlannedSegment& planned);
// Cuts each column of a segment into what a block folds of its rows, which are cut already, and a
// second kernel that folds what the blocks have stored, of all columns together. Returns the
// tensors that the blocks fold.
std::vector<TensorId> part_columns(const PlannedSegment& planned);

}  // namespace selvage
