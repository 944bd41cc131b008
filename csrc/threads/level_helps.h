#pragma once

#include <selvage/threads/tried_helps.h>

namespace selvage {

// Mends for diagnostics about levels, E820 to E823.
std::vector<Mend> level_mends(const ThreadProgram& program, const LevelTree& tree,
                              const Diagnostic& d);

}  // namespace selvage
