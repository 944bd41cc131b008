#pragma once

#include <selvage/threads/tried_helps.h>

namespace selvage {

// Mends for diagnostics about the elements of a statement: E815 two blocks access them, E824
// nothing is written there before.
std::vector<Mend> memory_mends(const ThreadProgram& program, const LevelTree& tree,
                               const Diagnostic& d);

}  // namespace selvage
