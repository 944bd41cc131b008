// A corpus of index and predicate expressions as schedules make them.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/corpus/line.h"

namespace selvage::corpus {

// How large chains get.
struct Scale {
  std::size_t most_rank = 4;
  std::size_t least_transforms = 3, most_transforms = 12, most_tries = 100;
  std::size_t most_axes = 9;
  std::uint32_t most_nodes = 400;                    // of an expression; dearer lines are left out
  std::int64_t most_points = std::int64_t{1} << 31;  // of an extent, at its largest
  std::uint64_t size_bits = 0;                       // by up to so many bits sizes are larger
};
inline constexpr Scale kUsual;
// Ten times as many transforms, twenty times the nodes, extents of up to 2^46 points.
inline constexpr Scale kTenfold{8, 30, 120, 1000, 24, 8000, std::int64_t{1} << 46, 12};

// The lines of `chains` random chains of splits, merges and reorders, the same at every call and
// on every machine. Kinds, each followed by c (known extents) or s (symbolic):
//   I  the index of a logical iterdomain, computed from the loops
//   P  the naive predicate: every iterdomain that is no loop lies within its extent
//   R  the chain applied forward again to the indices, under the naive predicate: the loop
//      variable itself, which the id names after its dot
//   F  another chain applied forward to the indices
std::vector<Line> generate(int chains, std::uint64_t seed = 3, const Scale& scale = kUsual);

}  // namespace selvage::corpus
