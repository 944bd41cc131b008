#pragma once

#include <selvage/index/access.h>
#include <selvage/legality/analysis.h>

#include <optional>
#include <vector>

namespace selvage {

// For whom elements are counted that an access needs, inside the outermost `open` loops of its
// nest: with all of them open that is one iteration.
enum class Level : std::uint8_t {
  Thread,  // one thread: its serial, unrolled and vectorised loops run
  Block,   // all threads of a block together
};

// A box of elements: along each logical iterdomain of the tensor from `least` to `most`, ends
// included, over the loops that are fixed and the sizes. An access that is made for nobody there
// has one all the same.
struct Box {
  struct Side {
    Expr least, most;
    bool exact = false;  // each end is the index of an element that the box is made for
  };
  std::vector<Side> sides;
};

// The box of the elements that an access of this nest needs there: each that is read, or written,
// at a valid point lies in it. Ends are found by the rules of hoist.h, which take the largest and
// the least value of an expression over the loops that run; they are then brought within the
// tensor, since an access is made only where its element is one. Loops that stand open count by
// their place in the nest, block indices are fixed always, thread indices for a Thread.
// Nothing where an end is not found: a subscript that memory tells.
std::optional<Box> footprint(const Schedule& schedule, const TensorAnalysis& nest,
                             const Access& access, Level level, std::size_t open = 0);

}  // namespace selvage
