#pragma once

#include <selvage/lower/index_type.h>
#include <selvage/lower/launch.h>
#include <selvage/lower/stored_parts.h>

#include <vector>

namespace selvage {

// What runs before blocks that fold a tensor together and meet atomically in its memory: every
// element, of all parts, becomes the empty state of the fold, items side by side in threads side by
// side. Gaps of an allocation stay as they are. One kernel, or one for each width of indices.
struct Fill {
  std::vector<Kernel> kernels;
  std::vector<LaunchCheck> checks;
};
Fill fill_with_empty_state(const Fusion& fusion, const DomainGraph& graph, TensorId tensor,
                           const std::vector<StoredPart>& parts, KnownSizes& sizes);

}  // namespace selvage
