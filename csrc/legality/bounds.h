#pragma once

#include <selvage/legality/analysis.h>
#include <selvage/legality/finding.h>

namespace selvage {

// Whether every store of a tensor goes to its item's place, inside the tensor's memory. Not proved:
// E443, with an item that has no place, or a loop point that stores outside.
Finding store_bound(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
                    Help help = Help::With);

}  // namespace selvage
