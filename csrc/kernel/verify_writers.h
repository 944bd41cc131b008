#pragma once

#include <selvage/kernel/verify_access.h>

#include <span>

namespace selvage {

// Whether every element that the read takes is stored by one of the writes, for all sizes. Takes
// the element's address A and solves address = A digit by digit for the variables that only the
// write has (loops not around the read; for shared memory also the threads):
//
//   tile[row*32 + lane] = ..., read at A       row = A / 32, lane = A % 32
//
// Then it proves that the write runs at that point: that the point is in the loops' ranges, and
// that the guards of the write hold. If a condition c of one write is not proved, the same is asked
// again for the points of the read where c does not hold, of another write: so the two branches of
// a guard together store everything.
//
// `loops`: so many loops around the read are around all the writes, too. The caller makes sure that
// in each iteration of these the writes come before the read, and nothing overwrites the elements
// in between. `earlier`: for variables of these loops, the iteration of the writes, seen from that
// of the read; none: the same one.
bool is_stored_before(const AccessMap& map, std::span<const std::size_t> writes, std::size_t read,
                      std::size_t loops, const Environment& earlier = {});

}  // namespace selvage
