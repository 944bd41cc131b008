#pragma once

#include <selvage/legality/tma_questions.h>

#include <optional>
#include <span>
#include <string>

namespace selvage {

// What would make a TMA copy legal that is not: each change is made to a copy of the schedule, or
// of its tensor, and asked about. Named is the first change of those that may help after which the
// copy brings items right; else two, where something else is wrong behind; and if there are none,
// that the loops of the tile stay serial: then nothing is copied by TMA.
std::string help_for_tma(const Fusion& fusion, const Schedule& schedule,
                         const TensorAnalysis& analysis, const TmaRefused& refused);
// One change after which its holes hold what is asked for, too.
std::optional<std::string> help_for_holes(const Fusion& fusion, const Schedule& schedule,
                                          const TensorAnalysis& analysis,
                                          std::span<const TmaMend> tries);

}  // namespace selvage
