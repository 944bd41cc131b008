#pragma once

#include <selvage/legality/vector_access.h>

#include <optional>
#include <string>

namespace selvage {

// What would make a vector legal that is not: each change is made to a copy and asked about, and
// named only where that is legal.

// A power of two by which its loop is split, the inner loop being the vector; the widest that does.
// Nothing where none does, or where the tensor lies in the nest of another.
std::optional<std::int64_t> fitting_split(const Fusion& fusion, const Schedule& schedule,
                                          const TensorAnalysis& analysis, DomainId loop,
                                          std::int64_t most);

// Is the split of another of its loops by `width` a legal vector, the loop at hand being serial?
bool may_take_vector_from(const Fusion& fusion, const Schedule& schedule,
                          const TensorAnalysis& analysis, DomainId loop, DomainId other,
                          std::int64_t width);

// Larger strides that are multiples of the width, but for the innermost; "[16, 1]". Only for what
// can be given strides: no tensor that a fusion keeps to itself.
std::optional<std::string> fitting_strides(const Fusion& fusion, const Schedule& schedule,
                                           const TensorAnalysis& analysis, std::int64_t width);

// A size which, were it a multiple of the width, would align the start of every group.
std::optional<Expr> fitting_multiple(const Fusion& fusion, const Facts& in_full_groups, Expr start,
                                     std::int64_t width);

}  // namespace selvage
