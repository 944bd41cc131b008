#pragma once

#include <selvage/ir/identity.h>
#include <selvage/legality/analysis.h>
#include <selvage/legality/finding.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace selvage {

// How a buffer is read, and what its holes are known to hold before.
struct ReadBy {
  bool is_guarded = true;                    // reads at valid points only
  std::optional<Reduction> reduction = {};   // by which it folds elements into one
  std::optional<Scalar> left_in_holes = {};  // by the writer: a TMA copy's zeros
};

// What a reader accesses in memory, with its guard or without.
struct ReadFindings {
  Finding inside;      // it stays inside the buffer
  Finding only_items;  // it reads no hole
  // It reads no item from a hole of its own loops, which would count the item twice; asked only for
  // a reduction that is not idempotent.
  std::optional<Finding> once;
  std::optional<std::int64_t> element;  // the hole that is read where only_items is refuted
};

// What the holes of one buffer (legality/cells.h) must hold, and whether they do. Weakly correct:
// items are right, holes hold anything. Strongly correct: and every hole holds `value`.
struct Fills {
  Expr elements;                      // of the buffer, holes included
  std::optional<Expr> holes;          // how many of them; nothing: it is not known
  std::optional<std::int64_t> first;  // the address of the first one, where sizes are numbers

  ReadFindings reader;  // with its guard, if it has one
  // The reader without its guard; not asked for global memory if nothing is said of a reader.
  std::optional<ReadFindings> unguarded;

  bool is_strong = false;  // weak correctness is not enough: a hole is read, or a fill asked for
  std::optional<Scalar> value;  // that holes must hold, where that is known
  Finding initialised;          // no store into holes is needed before; not refused

  std::optional<Finding> fits;    // the type has the fill that is asked for
  std::optional<Finding> kept;    // no store goes into a hole, whose fill it would overwrite
  std::optional<Finding> agrees;  // the fill that is asked for is the one that the reader needs

  // The findings for which the schedule is refused: E470 to E474.
  std::vector<Finding> refusals() const;
};

// The fills of the buffer that `writes` stores into and `reads` (null: the same loops) reads.
// Nothing where the buffer has no holes, no fill is asked for and no reader goes wrong; or where a
// TMA copy fills it, whose box has holes of its own kind.
std::optional<Fills> fills(const Fusion& fusion, const Schedule& writes,
                           const TensorAnalysis& write, const Schedule* reads = nullptr,
                           const TensorAnalysis* read = nullptr, const ReadBy& by = {},
                           Help help = Help::With);

}  // namespace selvage
