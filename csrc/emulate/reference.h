#pragma once

#include <selvage/base/array.h>
#include <selvage/emulate/error_bounds.h>
#include <selvage/ir/fusion.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace selvage {

// Computes a fusion as its index notation reads: every computed tensor, in the order of definition,
// element by element. It uses no schedule and no kernel, so these are compared with it. Only
// outputs are rounded to the type that they are stored in. Folds are computed as
// emulate/reference_fold.h says. The value that a read has for out of bounds is evaluated only
// there.
//
// `sizes` gives every size a value, `inputs` every input an array; the outputs are returned in the
// order of their tensors. An extent of 0 makes an empty array. Throws BadInput: E611 input missing
// or unknown, E612 wrong shape, E613 wrong type, E614 size missing or unknown, E615 sizes that the
// fusion's facts rule out, E616 read outside a tensor.
std::vector<Array> run_reference(const Fusion& fusion,
                                 const std::map<std::string, std::int64_t>& sizes,
                                 const std::map<std::string, Array>& inputs);

// One computed tensor of it alone, as it is stored, from what it is made of.
Array run_reference_of(const Fusion& fusion, TensorId t,
                       const std::map<std::string, std::int64_t>& sizes,
                       const std::map<std::string, Array>& inputs);

// All outputs, and the error bound of each element (emulate/error_bounds.h). `errors` is empty for
// an output that is exact.
struct BoundedArray {
  Array values;
  std::vector<double> errors = {};
};
std::vector<BoundedArray> run_reference_bounded(const Fusion& fusion,
                                                const std::map<std::string, std::int64_t>& sizes,
                                                const std::map<std::string, Array>& inputs,
                                                const ErrorModel& model);

// The same for every computed tensor, by name.
std::map<std::string, BoundedArray> run_reference_tensors(
    const Fusion& fusion, const std::map<std::string, std::int64_t>& sizes,
    const std::map<std::string, Array>& inputs, const ErrorModel& model);

}  // namespace selvage
