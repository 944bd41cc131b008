#pragma once

#include <selvage/threads/tried_helps.h>

namespace selvage {

// What may mend what is wrong with the elements of a statement: E815 blocks meet in them, E824
// nothing is written there before.
std::vector<Mend> memory_mends(const ThreadProgram& program, const LevelTree& tree,
                               const Diagnostic& d);

}  // namespace selvage
