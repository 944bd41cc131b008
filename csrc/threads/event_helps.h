#pragma once

#include <selvage/threads/race_helps.h>

namespace selvage {

// Rewrites the helps of races (E817, E818) and of wrong waits and arrivals (E829) of a program with
// events to one change that was made to a copy of the program and left no error: another phase,
// slot or number of arrivals, a wait, an arrival or a copy's event that was missing, or one less.
// False: there are no events, or no such change.
bool check_event_helps(const ThreadProgram& program, const LevelTree& tree,
                       const ThreadCheck& check, std::vector<Diagnostic>& diagnostics);

}  // namespace selvage
