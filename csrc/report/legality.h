#pragma once

#include <selvage/report/report.h>

#include <vector>

namespace selvage {

// Every question of legality/legality.h that applies to a tensor. Throws Illegal where the loops
// that read its buffer make no sense.
Legality legality_of(const Subject& subject, const TensorAnalysis& analysis);

// What the tensor is refused for, as errors, and as warnings what its kernel leaves to the user.
std::vector<Diagnostic> diagnostics_of(const Subject& subject, const TensorReport& tensor);

}  // namespace selvage
