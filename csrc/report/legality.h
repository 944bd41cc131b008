#pragma once

#include <selvage/report/report.h>

#include <vector>

namespace selvage {

// What the tensor is refused for, as errors, and as warnings what its kernel leaves to the user.
std::vector<Diagnostic> diagnostics_of(const Subject& subject, const TensorReport& tensor);

}  // namespace selvage
