#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/threads/region.h>
#include <selvage/threads/thread_origin.h>

#include <vector>

namespace selvage {

// What a program's kernel does, one thing after the other. Empty where levels that stand side by
// side are not cut up alike, so that no one mask holds all threads.
std::vector<ThreadStep> steps_of(const Kernel& kernel, const std::vector<ThreadOrigin>& origins,
                                 const LoweredThreads& lowered);

}  // namespace selvage
