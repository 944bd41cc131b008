#pragma once

#include <selvage/ir/sizes.h>

#include <memory>

namespace selvage {

// What a fusion is for given sizes, as a fusion of its own over the same pool, in which every
// extent is a number. It has the tensors, by name, that have items then. What is read of one that
// has none is what the read says of out of bounds, and a fold over no items is the state that it
// begins with. So it has no size that may be 0, and everything may be proved of it that is proved
// of sizes of at least 1; nothing is proved of the fusion that it is made from.
// `sizes`: of all sizes of the fusion, each at least 0.
// Throws BadInput E616 where an element is read, though there is none, and the read says nothing of
// that.
std::unique_ptr<Fusion> specialised(const Fusion& fusion, const SizeValues& sizes);

}  // namespace selvage
