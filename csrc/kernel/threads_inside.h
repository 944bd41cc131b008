#pragma once

#include <selvage/kernel/kernel.h>

#include <optional>

namespace selvage {

// The same statements with each loop over a thread index inside of all loops and guards in which
// threads wait or meet, as several loops of that index; nothing where what they wait for depends on
// it, or a number that is read from memory is known in all of it.
//   parallel t in 32 (TIDx)              parallel t in 32 (TIDx)
//     s[t] = 0                             s[t] = 0
//     for k in n                   =>    for k in n
//       wait for full[k % 2], ..           wait for full[k % 2], ..
//       s[t] = s[t] + x[k % 2]             parallel t in 32 (TIDx)
//                                            s[t] = s[t] + x[k % 2]
std::optional<Body> with_threads_inside(Body body);

}  // namespace selvage
