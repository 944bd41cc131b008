#pragma once

#include <selvage/lower/index_type.h>
#include <selvage/lower/launch.h>
#include <selvage/lower/row_tiles.h>

#include <vector>

namespace selvage {

// The second kernel and, where rows without items have no position, the third.
struct RowFoldKernels {
  std::vector<std::vector<Kernel>> steps;  // of each, one kernel for each width of indices
  std::vector<LaunchCheck> checks;
};
RowFoldKernels fold_carries(const Fusion& fusion, const Schedule& schedule,
                            const TensorAnalysis& analysis, KnownSizes& sizes);

}  // namespace selvage
