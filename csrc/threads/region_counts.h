#pragma once

#include <selvage/threads/region.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace selvage {

// The number of times that each thread runs a region: the iterations of all loops around in which
// the thread is in the region's mask.
struct RegionCounts {
  std::vector<std::int64_t> times;  // by thread, as masks number them
  bool is_most = false;             // `times` are upper bounds: a loop around may be left
  std::string unknown = {};         // why the counts are not known; empty: they are

  bool is_known() const { return unknown.empty(); }
};

// `known`: facts that give every symbol one value. Iterations that a condition, or an inner extent,
// depends on are enumerated: at most kMostIterations, and kMostLooked threads in those whose masks
// differ. The counts of other loops are multiplied.
RegionCounts region_counts(const ThreadRegion& region, const Facts& known);
inline constexpr std::int64_t kMostLooked = std::int64_t{1} << 24;

// A sentence about the first thread whose executed count is not as `counts` says; empty: none.
std::string difference(const ThreadRegion& region, const RegionCounts& counts,
                       std::span<const std::int64_t> executed);

}  // namespace selvage
