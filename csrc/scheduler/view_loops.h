#pragma once

#include <selvage/ir/schedule.h>

#include <optional>
#include <vector>

namespace selvage {

// The loops of a tensor over its items: those that it folds over left out.
std::vector<DomainId> item_loops(const Schedule& schedule, TensorId t);

// Of `loops`, the one whose neighbouring iterations are neighbours along `domain`: the loop itself,
// or the innermost of those that it is merged from or cut into; nothing if there is none.
std::optional<DomainId> loop_along(const DomainGraph& graph, DomainId domain,
                                   const std::vector<DomainId>& loops);

// The schedule with other loops for tensors that read folds through views. In
//   t = reshape(x, {N, G, K}),  y = reshape(t - mean(t, {2}), {N, G*C, H*W})
// y has the iterdomains of its own shape, and the mean those of t. So that they can have rows in
// common, y is computed in the loops n, g and k of t, from which its own iterdomains follow by the
// splits and merges of the view. `open`: by tensor, whether nobody has said how it is computed.
Schedule with_loops_of_views(const Schedule& schedule, const std::vector<bool>& open);

}  // namespace selvage
