#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace selvage {

// A set of candidates: members ascending.
using Members = std::vector<std::uint32_t>;

// The lightest set that meets every one of `sets`: fewest members first, then the smallest sum of
// weights. Exact unless the search runs past its budget; then a set that meets all and no claim.
struct HittingSet {
  Members members;
  bool exact = true;
};
// `budget` counts members looked at and is charged.
HittingSet minimum_hitting_set(std::span<const Members> sets, std::span<const std::int64_t> weights,
                               std::uint64_t& budget);

}  // namespace selvage
