#pragma once

#include <selvage/kernel/verify_access.h>

#include <span>

namespace selvage {

// Has every element that the read takes been stored by one of the writes? Asked for all sizes, by
// solving the write's address for what is the write's own (loops that the read is not in; of shared
// memory the threads, too), digit by digit:
//
//   tile[row*32 + lane] = ..., read at A       row = A / 32, lane = A % 32
//
// and then proving that the write runs at that point: that it is in the loops' ranges and that what
// guards the write holds. Where a condition c of one write is not proved, the read is looked at
// once more where c does not hold, and another write must have stored the element there: so the
// branches of a guard serve together.
//
// `loops`: how many loops around the read are the same for all the writes. These come before the
// read in each of their iterations, and nothing overwrites what they store before the read.
bool is_stored_before(const AccessMap& map, std::span<const std::size_t> writes, std::size_t read,
                      std::size_t loops);

}  // namespace selvage
