#pragma once

#include <selvage/legality/analysis.h>

#include <optional>
#include <span>
#include <vector>

namespace selvage {

// The blocks of a launch at which every read of a nest is inside its tensor, whatever access mode
// or fill it has. There nothing has to be brought into an axis and nothing is tested: an image's
// interior, while blocks at its edges do both.
//   y[i, j] = x[mirror(i - 1), j], i in blocks of 16:     1 <= block
struct InsideReads {
  std::vector<Expr> claims;     // that each such read is inside, at a point
  Hoisted hoisted;              // of the block indices: all claims hold at every point of the block
  std::optional<Share> blocks;  // that are interior ones
  std::optional<Share> points;  // count_points()
  // Whether interior blocks get a body of their own: half of the blocks or more are interior, so
  // far as that is known, a thread there saves at least four modes and tests, and their loops stand
  // outermost, around no scan and no fold of several numbers.
  bool pays = false;
};

// Nothing where all reads are inside anyway, no loop is bound to a block, or no condition of the
// blocks is found. `reads`: of the nest, as DefinitionReads makes them.
std::optional<InsideReads> inside_reads(const Fusion& fusion, const Schedule& schedule,
                                        const TensorAnalysis& nest, std::span<const Access> reads);

// Counts, of the valid points of what is stored, those at which no read leaves its tensor. For a
// person: each point may have to be gone through, and a kernel is made without.
void count_points(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& nest,
                  InsideReads& inside);

// The analysis of the nest at interior blocks: its reads are made as if they had no mode, and what
// follows from the condition is no predicate.
TensorAnalysis at_interior_blocks(const TensorAnalysis& nest, const InsideReads& inside);

// Whether the definition, inlined ones included, has a read with an access mode or a fill.
bool may_leave(const Fusion& fusion, const Schedule& schedule, TensorId t);

}  // namespace selvage
