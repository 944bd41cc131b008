#pragma once

#include <selvage/legality/vector_access.h>

#include <optional>
#include <string>

namespace selvage {

// Changes that make an illegal vector legal. Each is made to a copy, and returned only if the
// vector is legal there.

// The widest of most, most / 2, most / 4, ... such that a split of the loop by it has a legal
// vector as its inner loop. Nothing if there is none, or if the tensor is computed in another's
// nest.
std::optional<std::int64_t> fitting_split(const Fusion& fusion, const Schedule& schedule,
                                          const TensorAnalysis& analysis, DomainId loop,
                                          std::int64_t most);

// Whether a split of loop `other` by `width` makes a legal vector, with `loop` serial.
bool may_take_vector_from(const Fusion& fusion, const Schedule& schedule,
                          const TensorAnalysis& analysis, DomainId loop, DomainId other,
                          std::int64_t width);

// Larger strides, all but the innermost multiples of the width, that make the vector legal: "[16,
// 1]". Only for inputs and outputs: other tensors cannot be given strides.
std::optional<std::string> fitting_strides(const Fusion& fusion, const Schedule& schedule,
                                           const TensorAnalysis& analysis, std::int64_t width);

// A size that aligns the start of every group if it is a multiple of the width.
std::optional<Expr> fitting_multiple(const Fusion& fusion, const Facts& in_full_groups, Expr start,
                                     std::int64_t width);

}  // namespace selvage
