#pragma once

#include <selvage/kernel/kernel.h>

namespace selvage {

// The loops of two folds that do not depend on one another as one pass over what both read:
//   for step: s = s + x[step]          for step
//   for step: m = max(m, x[step])        s = s + x[step]
//                                        m = max(m, x[step])
// Loops and guards are joined from the outside in, as long as they are the same, and what is left
// stands one behind the other; what both load is loaded once. Neither body may read what the other
// one writes, nor wait for other threads. The order in which each fold takes its items in stays.
Body in_one_pass(Body first, Body second, Kernel& kernel);

}  // namespace selvage
