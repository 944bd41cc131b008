#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/threads/region.h>
#include <selvage/threads/thread_origin.h>

#include <vector>

namespace selvage {

// The steps of a program's kernel, in order. Empty if levels that stand side by side have different
// extents, so that no one mask has all threads.
std::vector<ThreadStep> steps_of(const Kernel& kernel, const std::vector<ThreadOrigin>& origins,
                                 const LoweredThreads& lowered);

}  // namespace selvage
