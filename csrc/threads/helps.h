#pragma once

#include <selvage/threads/region.h>

namespace selvage {

// Rewrites the helps of what is said of a program to changes that were made to copies of it and
// mend it: of its events, then of its races, then of all else.
void check_helps(const ThreadProgram& program, LoweredThreads& out);

}  // namespace selvage
