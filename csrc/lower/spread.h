#pragma once

#include <selvage/kernel/kernel.h>

#include <vector>

namespace selvage {

// Shares the points of the loops in a body that are bound to Bulk among the threads of a block,
// where these points are not one copy: the innermost such loop among those of the first of `axes`,
// the one around it among those of the next, and so on. Other Bulk loops become serial.
//   for i in 100 (Bulk)       for i.turn in 4
//     body(i)                   parallel every.TIDx in 32 (TIDx)
//                                 if (every.TIDx < 25)
//                                   i = i.turn * 25 + every.TIDx
//                                   body(i)
// Removes from `axes` those that it has used. An axis whose extent is no number is left.
void spread_over_threads(Body& body, std::vector<ParallelType>& axes, Kernel& kernel);

}  // namespace selvage
