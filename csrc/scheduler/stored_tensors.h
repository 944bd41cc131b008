#pragma once

#include <selvage/ir/schedule.h>

#include <functional>

namespace selvage {

// Whether a value is read at an index that is a value itself.
bool is_gather(const ValueNode& node);

// Stores what cannot be, or should not be, computed again wherever it is read:
//   - items of rows that are computed from the row and the item that they are, and read elsewhere
//     than in loops over these rows: both would have to be found for each read;
//   - what is found by a search, a gather at an index that comes from a gather, where it is itself
//     read through gathers, or is computed for several tensors that are stored: each of them would
//     search again.
// Nothing is said of tensors of which somebody else decides.
using DecidesOf = std::function<bool(TensorId)>;
inline bool of_all(TensorId) { return true; }
Schedule with_stored_tensors(const Schedule& schedule, const DecidesOf& decides = of_all);

}  // namespace selvage
