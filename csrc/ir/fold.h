#pragma once

#include <selvage/ir/fusion.h>
#include <selvage/ir/value.h>

#include <vector>

namespace selvage {

// The state of a fold while it runs, one value per component. A new state may be stored component
// by component, in this order: each depends only on the old values of itself and of those after it.
//   sum, prod, max, min, fmax, fmin, any, all   value
//   mean                            sum
//   var                             sum of squared distances, mean, number of items (Welford;
//                                   merged as Chan, Golub and LeVeque do)
//   logsumexp                       sum of exp(item - greatest), greatest
//   argmax, argmin                  position, value: the first of equals, a NaN beats all else; of
//                                   nothing the position is 0 in the end
using FoldState = std::vector<ValueId>;

struct FoldComponent {
  const char* name;  // "sum", "mean", ...
  DataType type;     // a compute type
};
std::vector<FoldComponent> components(const Fold& fold);

// A constant of that value.
ValueId constant_of(ValueGraph& values, const Scalar& v);

// The state into which no element was folded: with_element() starts from it, and merged() with it
// changes nothing.
FoldState empty_state(ValueGraph& values, const Fold& fold);
// The state after one more element, which has the fold's type. `position`: the element's row-major
// number among all that are folded into one, an int64; only argmax and argmin use it.
FoldState with_element(ValueGraph& values, const Fold& fold, const FoldState& state,
                       ValueId element, ValueId position);
// The state of two disjoint parts together; commutative and associative but for rounding.
FoldState merged(ValueGraph& values, const Fold& fold, const FoldState& a, const FoldState& b);
// The result, in the compute type of result_type(). `items`: how many elements were folded, an
// int64. A mean, such as that of the squares of a variance in two passes, and a variance divide by
// max(items - correction, 0).
ValueId folded(ValueGraph& values, const Fold& fold, const FoldState& state, ValueId items);

}  // namespace selvage
