#pragma once

#include <selvage/report/lines.h>
#include <selvage/report/report.h>

namespace selvage {

// One tensor's part of the page: how its index is cut up, where the holes are, the indices, the
// checks with their reasons, coverage.
void print_tensor(const TensorReport& tensor, Lines& out);
// The loops alone, for a tensor that has no kernel.
void print_loops(const TensorReport& tensor, Lines& out);
// The checks that stay and those that are not needed; `why`: each with its reason.
void print_checks(const TensorReport& tensor, bool why, Lines& out);
// Whether every item is visited.
void print_coverage(const TensorReport& tensor, Lines& out);

}  // namespace selvage
