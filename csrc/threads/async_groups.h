#pragma once

#include <selvage/simplifier/facts.h>
#include <selvage/threads/region.h>

#include <span>
#include <vector>

namespace selvage {

// One region of a group, and the loops that it stands in, outer to inner.
struct AsyncPart {
  const ThreadRegion* region;
  const std::vector<const SerialFor*>* loops;
};

// Sets is_disjoint and is_complete of a group: whether its masks are disjoint, and whether they
// cover all threads. Two different loops around regions of the group may be in any two iterations
// at a time; regions in the same loop are in the same iteration.
//   static masks                         are compared as sets
//   dynamic masks over the same levels   at all values of symbols and iterations if these are few,
//                                        else by proof
// `is_of_two_iterations`: some regions may still run from the iteration before; an answer that does
// not hold for all iterations is then not known. `facts`: about symbols and indices.
void compare(std::span<const AsyncPart> parts, bool is_of_two_iterations, const Facts& facts,
             AsyncGroup& group);

}  // namespace selvage
