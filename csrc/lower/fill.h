#pragma once

#include <selvage/lower/index_type.h>
#include <selvage/lower/launch.h>
#include <selvage/lower/stored_parts.h>

#include <vector>

namespace selvage {

// Kernels to launch before blocks that fold a tensor together and meet atomically in its memory.
// They store the empty state of the fold to every element, in all parts; neighbouring threads store
// neighbouring items. Gaps of an allocation keep their values. `kernels`: one, or one for each
// width of indices.
struct Fill {
  std::vector<Kernel> kernels;
  std::vector<LaunchCheck> checks;
};
Fill fill_with_empty_state(const Fusion& fusion, const DomainGraph& graph, TensorId tensor,
                           const std::vector<StoredPart>& parts, KnownSizes& sizes);

}  // namespace selvage
