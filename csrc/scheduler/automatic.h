#pragma once

#include <selvage/scheduler/device.h>
#include <selvage/scheduler/plan_choice.h>
#include <selvage/scheduler/row_schedules.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace selvage {

// How a kernel was scheduled, and why.
struct AutomaticKernel {
  Device device;                       // that it was made for
  TensorId root{};                     // its nest encloses those of the other tensors
  std::vector<TensorId> tensors = {};  // that the kernel computes, the root first
  RatedPlan taken;
  std::optional<RowSchedule> rows = {};     // in place of a plan, of a fold over the items of rows
  std::optional<RatedPlan> runner_up = {};  // what the next best plan would have cost
  std::vector<RatedPlan> others = {};       // the next best ones, at most kMostOthers
  bool is_tuned = false;  // the plan is a wish of PlanChoices, which measurements have left
  static constexpr std::size_t kMostOthers = 16;
};

struct AutomaticSchedule {
  Schedule schedule;
  std::vector<AutomaticKernel> kernels;
};

// A schedule for all tensors of a fusion, made by the primitives of Schedule. `sizes`: values of
// the fusion's sizes that it is made for; likely values are taken for the others. The schedule is
// right for all sizes, and fast for these. Rows are kept where their length is a number.
Schedule auto_schedule(const Fusion& fusion, const std::map<std::string, std::int64_t>& sizes = {},
                       const Device& device = usual_device(), const PlanChoices& choices = {});

// The same for the tensors of a schedule of which nobody has said how they are computed: tensors
// with their first loops, none of them bound, and folds that follow such tensors alone. All else
// stays as it is. Of the plans of a kernel only those are taken that its choice allows; throws
// Illegal E424 where there is none. A fold over the items of rows (folded_rows) that nothing over
// items of these reads goes through them as `rows` says if they are classed_rows, and else along a
// merge path, unless a choice is made for it.
AutomaticSchedule filled_in(const Schedule& schedule,
                            const std::map<std::string, std::int64_t>& sizes = {},
                            const Device& device = usual_device(), const PlanChoices& choices = {},
                            const RowSchedule& rows = {});

// A schedule in which somebody has said how the tensors of a fusion are computed, but for some that
// nobody knows of: these are filled in.
Schedule with_filled_in(const Schedule& schedule, const std::set<TensorId>& tensors,
                        const Device& device = usual_device());

}  // namespace selvage
