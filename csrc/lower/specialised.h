#pragma once

#include <selvage/ir/sizes.h>
#include <selvage/lower/program.h>

#include <memory>
#include <vector>

namespace selvage {

// A fusion with numbers for its sizes: a new fusion over the same pool in which every extent is a
// number. It has only the tensors that have items at these sizes. A read of a tensor without items
// becomes the read's value for out of bounds, and a fold over no items becomes its empty state. So
// no extent is 0, and all proofs that need sizes of at least 1 apply. Nothing is proved of the
// original fusion.
struct Specialised {
  std::unique_ptr<Fusion> fusion;
  std::vector<TensorId> origins;  // by tensor: the tensor of the original fusion
  // One thread for each item of an output or of a tensor that folds; no steps if no output has
  // items.
  Program program = {};
};
// `sizes`: values for all sizes of the fusion, each at least 0. The result has no program.
// Throws BadInput E616 for a read of a tensor without items that has no value for out of bounds.
Specialised specialised(const Fusion& fusion, const SizeValues& sizes);
// The same with a program, for sizes at which an extent or a size is 0. Throws what lower() throws,
// too.
Specialised lower_specialised(const Fusion& fusion, const SizeValues& sizes);

}  // namespace selvage
