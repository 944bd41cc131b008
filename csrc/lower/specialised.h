#pragma once

#include <selvage/ir/sizes.h>
#include <selvage/lower/program.h>

#include <memory>
#include <vector>

namespace selvage {

// What a fusion is for given sizes, as a fusion of its own over the same pool, in which every
// extent is a number. It has the tensors that have items then. What is read of one that has none is
// what the read says of out of bounds, and a fold over no items is the state that it begins with.
// So it has no size that may be 0, and everything may be proved of it that is proved of sizes of at
// least 1; nothing is proved of the fusion that it is made from.
struct Specialised {
  std::unique_ptr<Fusion> fusion;
  std::vector<TensorId> origins;  // by tensor: which one it is of the fusion that it is made from
  // A thread for each item of an output or of what folds; of no steps where no output has items.
  Program program = {};
};
// `sizes`: of all sizes of the fusion, each at least 0. Without a program.
// Throws BadInput E616 where an element is read, though there is none, and the read says nothing of
// that.
Specialised specialised(const Fusion& fusion, const SizeValues& sizes);
// With kernels: for sizes at which an extent is 0, or a size itself. Throws what lower() throws,
// too.
Specialised lower_specialised(const Fusion& fusion, const SizeValues& sizes);

}  // namespace selvage
