#pragma once

#include <selvage/threads/region.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace selvage {

// How often each thread runs a region: the iterations of all loops around in whose mask it is.
struct RegionCounts {
  std::vector<std::int64_t> times;  // by thread, as masks number them
  bool is_most = false;             // a loop around may be left: so often, or less
  std::string unknown = {};         // why it is not known; empty: it is

  bool is_known() const { return unknown.empty(); }
};

// `known`: facts of the symbols, each of which has one value. Iterations that a condition, or an
// inner extent, depends on are told apart up to kMostIterations of them, and kMostLooked threads in
// those whose masks differ; the others are multiplied.
RegionCounts region_counts(const ThreadRegion& region, const Facts& known);
inline constexpr std::int64_t kMostLooked = std::int64_t{1} << 24;

// The first thread that has not run it as often as is known, in one sentence; empty: there is none.
std::string difference(const ThreadRegion& region, const RegionCounts& counts,
                       std::span<const std::int64_t> executed);

}  // namespace selvage
