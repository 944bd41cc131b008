#pragma once

#include <selvage/threads/levels.h>
#include <selvage/threads/program.h>

#include <functional>
#include <vector>

namespace selvage {

// What is wrong with a program.
using ThreadCheck = std::function<std::vector<Diagnostic>(const ThreadProgram&)>;

// Rewrites the helps of races (E817, E818) that threads are seen in: what is said to mend them has
// been done to the program and does. Tried are, in this order, a sync in front of the second
// statement or of what it stands in, the same with one at the end of a loop around, and to let one
// thread do it. Of a program that is large, or has no places, helps stay as they are.
void check_race_helps(const ThreadProgram& program, const LevelTree& tree, const ThreadCheck& check,
                      std::vector<Diagnostic>& diagnostics);

}  // namespace selvage
