#pragma once

#include <selvage/base/array.h>
#include <selvage/emulate/error_bounds.h>
#include <selvage/ir/fusion.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace selvage {

// What a fusion means, computed as index notation reads: every computed tensor, in the order of
// definition, at every index, element by element. No schedule and no kernel is involved, so this is
// what those are compared with. Only outputs are rounded to the type they are stored in. What is
// folded is folded as emulate/reference_fold.h says; a read that says what there is out of bounds
// looks at that only there.
//
// `sizes` gives every size a value, `inputs` every input an array; the outputs come back in the
// order of their tensors. An extent of 0 makes an empty array. Throws BadInput: E611 input missing
// or unknown, E612 wrong shape, E613 wrong type, E614 size missing or unknown, E615 sizes that the
// fusion's facts rule out, E616 read outside a tensor.
std::vector<Array> run_reference(const Fusion& fusion,
                                 const std::map<std::string, std::int64_t>& sizes,
                                 const std::map<std::string, Array>& inputs);

// The same, and how far a kernel may be from each element, as emulate/error_bounds.h says; nothing
// for an output that is exact.
struct BoundedArray {
  Array values;
  std::vector<double> errors = {};
};
std::vector<BoundedArray> run_reference_bounded(const Fusion& fusion,
                                                const std::map<std::string, std::int64_t>& sizes,
                                                const std::map<std::string, Array>& inputs,
                                                const ErrorModel& model);

}  // namespace selvage
