#pragma once

#include <selvage/expr/substitute.h>
#include <selvage/kernel/verify_meeting.h>

namespace selvage {

// The result of a search through all threads and points: the first two threads of different warps
// (in a meeting of two blocks: of different blocks) that access the same bytes, and the first two
// of one warp. `is_known`: the search is complete, so that an absent encounter does not exist.
struct Collisions {
  bool is_known = false;
  std::optional<Encounter> across, within;
};

// Searches a block of these extents for two different threads: the first conditions hold for one,
// the second ones for the other, and all expressions of `signature` have the same values for both.
// Expressions and conditions are over AccessMap::threads() alone.
Collisions collisions_of_signatures(const AccessMap& map,
                                    const std::array<std::int64_t, 3>& extents,
                                    std::span<const Expr> signature,
                                    std::span<const Expr> first_conditions,
                                    std::span<const Expr> second_conditions);

struct CollisionSearch {
  const AccessMap& map;
  Meeting meeting;
  // The addresses of both accesses in common units, less the terms that both share; that of the
  // second is over `second_names`.
  std::array<Expr, 2> address = {};
  std::array<std::int64_t, 2> units = {1, 1};  // that each access takes
  Environment second_names = {};
  // Both are made by threads of one rank, and the addresses are those in its piece.
  bool is_in_one_rank = false;
  bool across_will_do = false;  // the search ends once `across` is found, and names no threads
};
// `sizes`: values of all sizes. Null: any values; conditions on sizes are then ignored, so that
// encounters may be found that no sizes allow.
Collisions find_collisions(const CollisionSearch& search, const Point* sizes);

}  // namespace selvage
