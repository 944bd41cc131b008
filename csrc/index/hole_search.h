#pragma once

#include <selvage/index/hole_system.h>

#include <optional>
#include <utility>
#include <vector>

namespace selvage {

// Looks for a loop point at which everything assumed holds and one bound is broken, by halving loop
// ranges and propagating: exact where it ends within its budget.
struct SearchResult {
  Answer answer;
  std::vector<std::int64_t> point;  // of the loops, where found
};

// `start`: what is assumed, propagated; it need not imply anything. The bound of `variable` is
// denied. `budget` counts relations looked at and is charged.
SearchResult find_violation(const HoleSystem& system, const Bounds& start, std::size_t variable,
                            Half half, std::uint64_t& budget);

}  // namespace selvage
