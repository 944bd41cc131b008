#pragma once

#include <selvage/ir/fusion.h>
#include <selvage/ir/value.h>

#include <vector>

namespace selvage {

// What a fold keeps while it runs, and how it goes on: as values made of values. Components stand
// in such an order that a new state may be stored component by component: each is made of the old
// values of itself and of those behind it.
//   sum, prod, max, min, fmax, fmin, any, all   value
//   mean                            sum
//   var                             sum of squared distances, mean, number of items (Welford;
//   merged
//                                   as Chan, Golub and LeVeque do)
//   argmax, argmin                  position, value: the first of equals, a NaN beats all else; of
//                                   nothing the position is 0 in the end
using FoldState = std::vector<ValueId>;

struct FoldComponent {
  const char* name;  // "sum", "mean", ...
  DataType type;     // a compute type
};
std::vector<FoldComponent> components(const Fold& fold);

// Of no element at all: taking it in, by either of the two below, changes nothing.
FoldState empty_state(ValueGraph& values, const Fold& fold);
// One more element, in the fold's type. `position`: its row-major number among all that are folded
// into one, an int64; looked at by argmax and argmin only.
FoldState with_element(ValueGraph& values, const Fold& fold, const FoldState& state,
                       ValueId element, ValueId position);
// What two disjoint parts make together; commutative and associative but for rounding.
FoldState merged(ValueGraph& values, const Fold& fold, const FoldState& a, const FoldState& b);
// The result, in a compute type of the result's own: result_type's. `items`: how many elements were
// folded, an int64. A variance divides by the items less the correction, or by 0 if that is less.
ValueId folded(ValueGraph& values, const Fold& fold, const FoldState& state, ValueId items);

}  // namespace selvage
