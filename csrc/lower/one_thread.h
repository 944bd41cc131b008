#pragma once

#include <selvage/ir/schedule.h>
#include <selvage/kernel/kernel.h>

#include <span>
#include <string>
#include <vector>

namespace selvage {

// What one thread of a block does, or each by its index.

// The extent of the launch along a block or thread axis.
Expr& extent_of(Launch& launch, ParallelType axis);

// The variable of a loop that no schedule names, 0 <= variable < extent: names in files are
// identifiers, so this one has a dot.
Expr own_variable(const std::string& name, Expr extent, Kernel& kernel);
// A loop over all indices along an axis of the launch, whatever loops are bound to it.
Loop every(ParallelType axis, Kernel& kernel);

// The thread indices within the block that has its memory that none of a tensor's loops is bound
// to.
std::vector<ParallelType> unbound_threads(const Schedule& schedule, TensorId t,
                                          std::span<const DomainId> loops, const Kernel& kernel);

// The body guarded so that only index 0 of each of `axes` runs it (of those that the launch uses).
Body one_writer(std::span<const ParallelType> axes, Body body, Kernel& kernel);
// Whether index 0 of each of `axes` is one thread of a block, which has a warp at least.
bool is_one_thread(std::span<const ParallelType> axes, const Kernel& kernel);
// The same as one_writer(), but where that is one thread, under one guard, at which the thread's
// warp may elect it.
Body one_elected(std::span<const ParallelType> axes, Body body, Kernel& kernel);

}  // namespace selvage
