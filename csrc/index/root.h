#pragma once

#include <selvage/ir/fusion.h>
#include <selvage/simplifier/simplifier.h>

#include <span>
#include <vector>

namespace selvage {

// Where a view reads: the coordinates of its root, over which its definition is, at these
// coordinates of its logical domain; of any other tensor, these as they are. A point of the root
// may be out of bounds: a pad has such.
std::vector<Expr> root_coordinates(const DomainGraph& graph, const TensorInfo& tensor,
                                   std::span<const Expr> logical, Simplifier& simplifier);

}  // namespace selvage
