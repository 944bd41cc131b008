#pragma once

#include <selvage/kernel/kernel.h>

#include <cstddef>
#include <string>
#include <vector>

namespace selvage {

// The loop nest as pseudo-C for a person, two blanks per level:
//   parallel bx in 9 (BIDx)
//     parallel tx in 128 (TIDx)
//       if (bx * 128 + tx < 1027)
//         y[bx * 128 + tx] = relu(a[bx * 128 + tx] + 1.5)
// A value that is used more than once stands on a line of its own, `v0 = ...`, before the store.
std::string loop_nest(const Kernel& kernel);

// The same, and where each statement stands in it.
struct NestLines {
  std::vector<std::string> lines;
  std::vector<std::size_t> line_of;  // by PlaceId (kernel/statement_tree.h), from 0
};
NestLines nest_lines(const Kernel& kernel);

}  // namespace selvage
