#pragma once

#include <selvage/threads/race_helps.h>

#include <optional>
#include <string>

namespace selvage {

// What ends all races (E817, E818) of a program with copies or matrix multiplications that end
// later: an `await` that leaves fewer groups open, or one in front of an item around the race,
// alone or with a sync behind it; or a `fence` there, or either in front of an arrival at an event.
// Each was made to a copy of the program, which then had no error left. nullopt: the program has
// neither, or none of these does.
std::optional<std::string> help_for_copies(const ThreadProgram& program, const ThreadCheck& check,
                                           const Place& race);

}  // namespace selvage
