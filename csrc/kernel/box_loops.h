#pragma once

#include <selvage/kernel/kernel.h>

#include <memory>

namespace selvage {

// The kernel with each store of a box written out as what it means, for proofs:
//   for e.0 in 8
//     for e.1 in 32
//       if (0 <= 8*i + e.0 && 8*i + e.0 < M && ...)
//         begin y[(8*i + e.0)*N + 32*j + e.1] = ys[e.0*32 + e.1]
// where the copies are of the thread's queue of stores, and atomic, as the box was. The hardware
// reads no element of the tile whose item does not exist. Null: there is none.
std::shared_ptr<const Kernel> with_stores_written_out(const Kernel& kernel);

}  // namespace selvage
