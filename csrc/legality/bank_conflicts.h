#pragma once

#include <selvage/legality/bank_degree.h>
#include <selvage/legality/finding.h>
#include <selvage/legality/swizzle_lines.h>

#include <optional>
#include <string>

namespace selvage {

// Layouts of a tile in shared memory that make its stores and its loads conflict-free.
struct BankAdvice {
  TileAxes axes;
  // The swizzle, in words ("column ^ row * 2") and as lines of a schedule file.
  struct Swizzle {
    TileSwizzle found;
    std::string text;
    std::optional<SwizzleLines> lines;
  };
  std::optional<Swizzle> swizzle;
  std::string no_swizzle = {};  // why there is none
  std::optional<Padding> padding;
};

// How the accesses to a tensor in shared memory meet the banks. Conflicts make a kernel slow, not
// wrong: the finding has no code, and nothing is refused for it.
struct BankConflicts {
  BankAccess store, load;
  bool same_loops = true;            // both sides go by one schedule, and are equal
  std::optional<std::int64_t> ways;  // the greater degree; nothing where one of them is not known
  // "Every phase of both sides has degree 1": refuted with the loops' values at a colliding thread.
  // Its conditions are on the base address.
  Finding finding;
  std::optional<BankAdvice> advice;  // where there are conflicts, and the tile is small enough
};

// Nothing where the tensor is not in shared memory, or a loop is bound to Bulk (a TMA copy).
// `reads` and `read`: the schedule and analysis of the reader; without them the same loops read.
// Both sides run in one block, as long along each axis as the longer of the two.
std::optional<BankConflicts> bank_conflicts(const Fusion& fusion, const Schedule& writes,
                                            const TensorAnalysis& write,
                                            const Schedule* reads = nullptr,
                                            const TensorAnalysis* read = nullptr);

}  // namespace selvage
