#pragma once

#include <selvage/expr/substitute.h>
#include <selvage/kernel/verify_meeting.h>

namespace selvage {

// What going through all threads and points has found: the first two threads of different warps (in
// a meeting of two blocks: of different blocks) that come to the same bytes, and the first two of
// one warp. `is_known`: there is nothing else that could have been found.
struct Collisions {
  bool is_known = false;
  std::optional<Encounter> across, within;
};

// Among threads of a block of these extents: one for which the first conditions hold, another for
// which the second ones do, and all expressions have the same values. Expressions and conditions
// are over AccessMap::threads() alone.
Collisions collisions_of_signatures(const AccessMap& map,
                                    const std::array<std::int64_t, 3>& extents,
                                    std::span<const Expr> signature,
                                    std::span<const Expr> first_conditions,
                                    std::span<const Expr> second_conditions);

struct CollisionSearch {
  const AccessMap& map;
  Meeting meeting;
  // Of both accesses, in common units, without what both have in common; the second's over its own
  // names.
  std::array<Expr, 2> address = {};
  std::array<std::int64_t, 2> units = {1, 1};  // that each access takes
  Environment second_names = {};
  bool across_will_do = false;  // one that is found across ends the search
};
// With sizes, all of them at these values; without, whatever they are: then conditions on sizes are
// left out, and more is found than there may be.
Collisions find_collisions(const CollisionSearch& search, const Point* sizes);

}  // namespace selvage
