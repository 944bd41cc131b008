#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/simplifier/simplifier.h>

namespace selvage {

// Cuts unrolled loops, and loops around such, in two where the first iterations need no check,
// whatever the values of all other variables. The number of iterations is fixed.
//   for step in 22                          for step in 21
//     if (thread + step * 1024 < 21845)       s = s + x[thread + step * 1024]
//       s = s + x[thread + step * 1024]     for step in 21 .. 22
//                                             if (thread + step * 1024 < 21845) ...
// As checks of unrolled iterations keep a compiler from moving loads up across them, the cut is
// worth more than the tests that it saves. `kernel`: whose buffers and values the body accesses;
// `ranges`: of all variables around and inside. Each
// iteration must reach the same statements by itself: no loop has a Leave, or waits for other
// threads.
// Returns the share of the iterations of the outermost loop that is cut that needs no check; 0:
// none is cut, and the body is as it was.
double cut_interiors(Body& body, const Kernel& kernel, Simplifier& ranges);

}  // namespace selvage
