#pragma once

#include <selvage/threads/tried_helps.h>

namespace selvage {

// Mends for diagnostics about a region, a barrier or a break: E810 to E814, E816, E824, E826.
std::vector<Mend> region_mends(const ThreadProgram& program, const LevelTree& tree,
                               const Diagnostic& d);

}  // namespace selvage
