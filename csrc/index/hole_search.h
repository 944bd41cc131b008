#pragma once

#include <selvage/index/hole_system.h>

#include <optional>
#include <utility>
#include <vector>

namespace selvage {

// The result of a search for a loop point at which everything assumed holds and one bound is
// broken. The search halves loop ranges and propagates: exact if it ends within its budget.
struct SearchResult {
  Answer answer;
  std::vector<std::int64_t> point;  // of the loops, where found
};

// Looks for a point in `start`, the propagated assumptions, at which the bound `half` of `variable`
// is broken. Subtracts the number of relations looked at from `budget`.
SearchResult find_violation(const HoleSystem& system, const Bounds& start, std::size_t variable,
                            Half half, std::uint64_t& budget);

}  // namespace selvage
