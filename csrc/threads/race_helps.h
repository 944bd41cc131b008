#pragma once

#include <selvage/threads/levels.h>
#include <selvage/threads/program.h>

#include <functional>
#include <vector>

namespace selvage {

// The diagnostics of a program.
using ThreadCheck = std::function<std::vector<Diagnostic>(const ThreadProgram&)>;

// Rewrites the helps of refuted races (E817, E818) so that each names a change that was made to a
// copy of the program and mends the race. In this order it tries a sync before the second statement
// or an item around it; the same and a sync at the end of a loop around; and one thread alone for
// the statement. Helps of a program that is large, or has no places, stay as they are.
void check_race_helps(const ThreadProgram& program, const LevelTree& tree, const ThreadCheck& check,
                      std::vector<Diagnostic>& diagnostics);

}  // namespace selvage
