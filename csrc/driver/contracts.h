#pragma once

#include <selvage/base/array.h>
#include <selvage/ir/fusion.h>
#include <selvage/ir/sizes.h>

#include <map>
#include <string>

namespace selvage {

// Whether inputs keep what they promise: offsets of rows (ir/domain_graph.h, RaggedRows) begin at
// 0, none is less than the one before it, and the last is the number of items; indices of items
// (TensorInfo::indexes) are within their extent; and values of sparse matrices are no NaN
// (TensorInfo::has_no_nan). Throws BadInput E634, which names the row.
void check_contracts(const Fusion& fusion, const std::map<std::string, Array>& inputs,
                     const SizeValues& sizes);

}  // namespace selvage
