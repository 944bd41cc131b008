#pragma once

#include <selvage/frontend/formula.h>

#include <optional>
#include <string_view>
#include <vector>

namespace selvage {

// A scatter, `y[idx[i], j] += x[i, j]`, adds each x[i, j] to the element of y that the index says,
// and begins with zeros. It is the fold
//   y[r, j] = sum[i](select(idx[i] == r, x[i, j], 0))
// so an index out of bounds adds nothing, and the result is the same in every run.

// Whether the statement adds to an element with a subscript that is a value.
bool is_scatter(std::string_view statement);

// Makes the fold of a formula whose nodes are the subscripts on the left, given by their numbers,
// and the value on the right, all of them inside folds[0]. A subscript that is a value gets an
// index called r or, where that is taken, r_2, r_3, ... Returns an index that stands twice on the
// left, if there is one; the formula is then of no use.
std::optional<Formula::Index> make_scatter(Formula& formula,
                                           const std::vector<std::uint32_t>& subscripts);

}  // namespace selvage
