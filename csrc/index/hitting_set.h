#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace selvage {

// A set of candidates: members ascending.
using Members = std::vector<std::uint32_t>;

// The lightest set that meets every one of `sets`: fewest members first, then the smallest sum of
// weights. If the search runs past its budget, `exact` is false: the set meets all, but a lighter
// one may exist.
struct HittingSet {
  Members members;
  bool exact = true;
};
// Subtracts the number of members looked at from `budget`.
HittingSet minimum_hitting_set(std::span<const Members> sets, std::span<const std::int64_t> weights,
                               std::uint64_t& budget);

}  // namespace selvage
