#pragma once

#include <selvage/index/access.h>
#include <selvage/legality/analysis.h>

#include <optional>
#include <vector>

namespace selvage {

// For whom the elements of an access are counted, at one iteration of the outermost `open` loops of
// its nest.
enum class Level : std::uint8_t {
  Thread,  // one thread: its serial, unrolled and vectorised loops run
  Block,   // all threads of a block together
};

// A box of elements: along each logical iterdomain of the tensor from `least` to `most`, ends
// included, as expressions of the fixed loops and the sizes. There is a box even where no point
// makes the access.
struct Box {
  struct Side {
    Expr least, most;
    bool exact = false;  // each end is the index of an accessed element
  };
  std::vector<Side> sides;
};

// The box of the elements that an access of this nest needs: each element that is read or written
// at a valid point lies in it. The ends are the least and the largest value of each subscript over
// the loops that run (by the rules of hoist.h), limited to the tensor, since an access is made only
// to elements of it. Fixed are the outermost `open` loops of the nest, block indices, and for a
// Thread thread indices. Nothing where an end is not found, as of a subscript that is loaded from
// memory.
std::optional<Box> footprint(const Schedule& schedule, const TensorAnalysis& nest,
                             const Access& access, Level level, std::size_t open = 0);

}  // namespace selvage
