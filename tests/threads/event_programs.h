// Programs of two roles that meet at events.
#pragma once

#include <string>

namespace selvage::threads {

// Rows of x come into two slots, and two other warps take them from there.
inline const std::string kRoles = R"(arrays:
  x: {shape: [5, 64], dtype: float}
  y: {shape: [5, 64], dtype: float}
  S: {shape: [2, 64], dtype: float, memory: shared}
events:
  full: {slots: 2, arrivals: 32}
  empty: {slots: 2, arrivals: 64}
parallel: [{t: 96}]
body:
- inthreads:
    when: t < 32
    role: load
    do:
    - for:
        index: k
        in: 5
        do:
        - wait: {event: "empty[k % 2]", phase: (k / 2 + 1) % 2}
        - copy: {event: "full[k % 2]", do: ["S[k % 2, t] = x[k, t]", "S[k % 2, t + 32] = x[k, t + 32]"]}
- inthreads:
    when: t >= 32
    role: use
    do:
    - for:
        index: j
        in: 5
        do:
        - wait: {event: "full[j % 2]", phase: (j / 2) % 2}
        - "y[j, t - 32] = S[j % 2, 95 - t] + 1"
        - arrive: {event: "empty[j % 2]"}
)";

}  // namespace selvage::threads
