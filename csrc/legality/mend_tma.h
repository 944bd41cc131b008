#pragma once

#include <selvage/legality/tma_questions.h>

#include <optional>
#include <span>
#include <string>

namespace selvage {

// What would make a TMA copy legal that is not: each change is made to a copy of the schedule, or
// of its tensor, and asked about. `tries`: what may help, in order. Named is the first change after
// which the copy brings items right; and if there is none, that the loops of the tile stay serial:
// then nothing is copied by TMA.
std::string help_for_tma(const Fusion& fusion, const Schedule& schedule,
                         const TensorAnalysis& analysis, std::span<const TmaMend> tries);
// The same, after which its holes hold what is asked for, too; and without the last resort.
std::optional<std::string> help_for_holes(const Fusion& fusion, const Schedule& schedule,
                                          const TensorAnalysis& analysis,
                                          std::span<const TmaMend> tries);

}  // namespace selvage
