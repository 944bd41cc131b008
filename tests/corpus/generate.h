// A corpus of index and predicate expressions as schedules make them.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/corpus/line.h"

namespace selvage::corpus {

// The lines of `chains` random chains of splits, merges and reorders, the same at every call and
// on every machine. Kinds, each followed by c (known extents) or s (symbolic):
//   I  the index of a logical iterdomain, computed from the loops
//   P  the naive predicate: every iterdomain that is no loop lies within its extent
//   R  the chain applied forward again to the indices, under the naive predicate: the loop
//      variable itself, which the id names after its dot
//   F  another chain applied forward to the indices
std::vector<Line> generate(int chains, std::uint64_t seed = 3);

}  // namespace selvage::corpus
