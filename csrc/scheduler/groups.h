#pragma once

#include <selvage/ir/nests.h>

#include <vector>

namespace selvage {

// The trees of nests in one kernel. They belong to a Nests, which must outlive the group.
using Group = std::vector<const NestTree*>;
std::vector<TensorId> tensors_of(const Group& group);

// Whether the nests of two folds, of which none reads the other, can go through what they fold
// together: they have the same loops down to the first one that is folded, and read one tensor, or
// both merge parts.
bool share_a_pass(const Fusion& fusion, const Schedule& schedule, const Nests& nests,
                  const NestTree& a, const NestTree& b);

// Groups trees into kernels. Consecutive trees share a kernel if none reads what another stores, or
// an input that another replaces, and if all have bound loops or none has; trees that are not
// consecutive do so if they read the same computed tensor. A tree that folds or holds other nests
// is alone in its kernel, because its threads wait for one another; but folds that share a pass
// over blocks are one kernel. Trees that the last block of a kernel computes come last in the group
// of that kernel. The groups are in the order of their first trees. Throws Illegal E418 where a
// last block cannot compute a tree.
std::vector<Group> group_into_kernels(const Fusion& fusion, const Schedule& schedule,
                                      const Nests& nests);

}  // namespace selvage
