#pragma once

#include <selvage/ir/schedule.h>
#include <selvage/kernel/kernel.h>

#include <optional>
#include <span>

namespace selvage {

// The same schedule with blocks that never pass a limit: every loop bound to the one thread axis
// whose extent is not known is split, by what is left of the threads, into a serial loop around the
// bound one. Nothing where that is not what is wrong, or not enough.
std::optional<Schedule> with_narrow_blocks(const Schedule& schedule, const Launch& launch,
                                           std::span<const TensorId> tensors);

}  // namespace selvage
