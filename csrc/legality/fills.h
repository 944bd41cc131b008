#pragma once

#include <selvage/ir/identity.h>
#include <selvage/legality/analysis.h>
#include <selvage/legality/finding.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace selvage {

// How a buffer is read, and what is known of its holes before.
struct ReadBy {
  bool is_guarded = true;                    // reads at valid points only
  std::optional<Reduction> reduction = {};   // what it folds the elements into one with
  std::optional<Scalar> left_in_holes = {};  // by whoever writes the buffer: a TMA copy's zeros
};

// What a reader meets in memory, with its guard or without.
struct ReadFindings {
  Finding inside;      // it stays inside the buffer
  Finding only_items;  // it reads no hole
  // It reads no item from a hole of its own loops, which would count twice; of a sum, a product or
  // a mean only.
  std::optional<Finding> once;
  std::optional<std::int64_t> element;  // the hole that is read where only_items is refuted
};

// What the holes of one buffer (legality/cells.h) must hold, and who sees to it. Weakly correct:
// items are right, holes hold anything. Strongly correct: and every hole holds `value`.
struct Fills {
  Expr elements;                      // of the buffer, holes included
  std::optional<Expr> holes;          // how many of them; nothing: it is not known
  std::optional<std::int64_t> first;  // the address of the first one, where sizes are numbers

  ReadFindings reader;  // as it is
  // As it would be without its guard; not asked of global memory, where no reader is told of.
  std::optional<ReadFindings> unguarded;

  bool is_strong = false;  // weak correctness is not enough: a hole is read, or a fill asked for
  std::optional<Scalar> value;  // that holes must hold, where that is known
  Finding initialised;          // nothing need be stored into holes before; not refused

  std::optional<Finding> fits;    // the type has the fill that is asked for
  std::optional<Finding> kept;    // no store goes into a hole, whose fill it would overwrite
  std::optional<Finding> agrees;  // the fill that is asked for is the one that the reader needs

  // Those of the findings that the schedule is refused for: E470 to E474.
  std::vector<Finding> refusals() const;
};

// Of the buffer that `writes` stores into and `reads` (null: the same loops) reads. Nothing where
// it has no holes, no fill is asked for and no reader goes wrong; or where it is filled by a TMA
// copy, whose box has holes of its own kind.
std::optional<Fills> fills(const Fusion& fusion, const Schedule& writes,
                           const TensorAnalysis& write, const Schedule* reads = nullptr,
                           const TensorAnalysis* read = nullptr, const ReadBy& by = {},
                           Help help = Help::With);

}  // namespace selvage
