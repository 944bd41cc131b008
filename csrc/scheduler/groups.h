#pragma once

#include <selvage/ir/nests.h>

#include <vector>

namespace selvage {

// Trees of nests that one kernel holds.
using Group = std::vector<const NestTree*>;
std::vector<TensorId> tensors_of(const Group& group);

// Which trees share a kernel: those that follow one another, none of which reads what another
// stores, and all of which are bound to block and thread indices, or none of which is. What folds,
// or holds other nests, has a kernel of its own, for its threads wait for one another. The groups
// are in the order of the trees, which outlive them.
std::vector<Group> group_into_kernels(const Fusion& fusion, const Schedule& schedule,
                                      const Nests& nests);

}  // namespace selvage
