#pragma once

#include <selvage/legality/tma_questions.h>

#include <optional>
#include <span>
#include <string>

namespace selvage {

// The help for a TMA copy that is refused. Each change of those that may help is made to a copy of
// the schedule, or of its tensor, and asked about. Names the first change after which the copy
// brings items right; else two changes, if the first leads to another refusal that the second
// mends; else tells to leave one loop of the tile serial, or all, so that nothing is copied by TMA.
std::string help_for_tma(const Fusion& fusion, const Schedule& schedule,
                         const TensorAnalysis& analysis, const TmaRefused& refused);
// The first change after which the holes hold the fill that is asked for, too; nothing if none
// does.
std::optional<std::string> help_for_holes(const Fusion& fusion, const Schedule& schedule,
                                          const TensorAnalysis& analysis,
                                          std::span<const TmaMend> tries);

}  // namespace selvage
