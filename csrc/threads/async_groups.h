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

// Says of a group whether its masks are disjoint, and whether they cover all threads. Two loops
// around regions of a group run at the same time, each in any iteration; one loop is in one.
//   masks that are known      put together
//   others, of levels alike   by values of symbols and iterations where these are few, else by
//                             proof
// `is_of_two_iterations`: some are in the one before; what is not known for all iterations alike is
// not known, then. `facts`: of symbols and indices.
void compare(std::span<const AsyncPart> parts, bool is_of_two_iterations, const Facts& facts,
             AsyncGroup& group);

}  // namespace selvage
