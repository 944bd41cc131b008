#pragma once

#include <selvage/ir/schedule.h>
#include <selvage/kernel/kernel.h>

#include <optional>
#include <span>

namespace selvage {

// A copy of the schedule whose blocks never exceed the limits of a launch. It takes the one thread
// axis of `launch` whose extent is not constant, and splits each loop of `tensors` bound to that
// axis into a serial loop around a bound one, which has as many threads as the other axes leave.
// Nothing if not exactly one axis is open, or if the other axes already exceed the limit.
std::optional<Schedule> with_narrow_blocks(const Schedule& schedule, const Launch& launch,
                                           std::span<const TensorId> tensors);

}  // namespace selvage
