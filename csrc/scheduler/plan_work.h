#pragma once

#include <selvage/kernel/launch_limits.h>
#include <selvage/scheduler/row_plan.h>

#include <algorithm>
#include <array>

namespace selvage {

// The threads that go through what the parts of one row come to.
inline constexpr std::int64_t kThreadsOfParts = 256;

// The work of the kernels that plans make of one segment, and the time that it takes.
class PlanWork {
 public:
  // All arguments must outlive this object.
  PlanWork(const Segment& segment, const SegmentTraffic& traffic, const Device& device);

  // Infinite where a thread would keep more than its registers, or a block more than its shared
  // memory holds.
  LaunchTime time(const RowPlan& plan) const;
  // What another kernel takes longer whose last block computes the segment.
  LaunchTime time_of_last_block(const RowPlan& plan) const;
  double kept_bytes_of_item() const { return std::max(kept_, shared_); }
  std::int64_t multiprocessors() const { return device_.multiprocessors; }
  // Whether keeping a row there saves a pass, and how many elements that is is known.
  bool can_keep(Memory memory) const {
    return (memory == Memory::Local ? kept_ : shared_) > 0 && traffic_.most_items &&
           !segment_.are_apart;
  }

 private:
  std::int64_t blocks(const RowPlan& plan) const;
  static std::int64_t bytes_to_meet(const RowPlan& plan);
  void add_scan_of_parts(const RowPlan& plan, LaunchTime& time) const;
  double registers_kept(const RowPlan& plan) const;
  double idle(const RowPlan& plan) const;
  double seconds_of_parts(double parts, double items, double folds, bool is_side_by_side,
                          bool is_at_once) const;
  LaunchTime tile_time(const RowPlan& plan) const;
  LaunchTime window_time(const RowPlan& plan) const;
  LaunchTime across_time(const RowPlan& plan) const;
  double registers_across(const RowPlan& plan) const;
  double fetched_again(const RowPlan& plan) const;
  double coalesced(const RowPlan& plan) const;
  double side_by_side(const TensorTraffic& t, const RowPlan& plan) const;
  double side_by_side_across(const TensorTraffic& t, const RowPlan& plan) const;
  double instructions(const RowPlan& plan, const LaunchWork& work) const;
  double meetings(const RowPlan& plan) const;
  double instructions_of_meeting(const RowPlan& plan) const;
  double instructions_of_merging(const RowPlan& plan) const;
  void add_bytes(const RowPlan& plan, LaunchWork& work) const;

  const Segment& segment_;
  const SegmentTraffic& traffic_;
  const Device& device_;
  double once_ = 0, again_ = 0;  // bytes: each tensor once, and the passes after the first
  double stored_ = 0;            // bytes that are stored
  double read_again_ = 0;        // bytes of the tensors that have several passes
  // Bytes that a thread loads, and may keep in registers or in shared memory, at a point of a row.
  double loaded_ = 0, kept_ = 0, shared_ = 0;
  int passes_ = 1;
  // What coalesced() came to last, and for which numbers of a plan.
  mutable std::array<std::int64_t, 5> of_requests_ = {};
  mutable double coalesced_ = 1;
};

}  // namespace selvage
