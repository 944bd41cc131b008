#pragma once

#include <selvage/ir/fusion.h>

#include <optional>
#include <vector>

namespace selvage {

// How axes become others in row-major order: neighbouring axes are grouped so that a group holds as
// many items before as after; a group is merged into one axis, and that is split.
//   [A, B, C] to [A * B, C]    {A, B | A * B}, {C | C}
struct ReshapeGroup {
  std::vector<std::size_t> from, to;  // axes before and after; extents of the number 1 are in none
};

// The finest groups whose equal numbers of items are proved; what is left is one more group, and
// `check` says that its numbers of items are equal. No plan if they can never be equal.
struct ReshapePlan {
  std::vector<ReshapeGroup> groups;
  std::optional<Expr> check;
};
std::optional<ReshapePlan> plan_reshape(const Fusion& f, const std::vector<Expr>& from,
                                        const std::vector<Expr>& to);

// The product of some extents; nothing past 2^62.
std::optional<Expr> product_of(const Fusion& f, const std::vector<Expr>& extents,
                               const std::vector<std::size_t>& axes);

}  // namespace selvage
