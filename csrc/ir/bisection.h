#pragma once

#include <selvage/ir/element.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace selvage {

// The greatest number of items that an axis can have, up to which the launch checks if there is no
// bound.
std::int64_t most_items(Fusion& f, Expr extent);

// An int64 over `indices`: for how many of the numbers 0 .. most - 1 a condition holds, which holds
// for the first of them and, where it has failed once, for none behind. So many comparisons as
// `most` has binary digits. The condition is asked about numbers from 0 to twice as many, and about
// each in a tensor of its own, as what is read there decides the next one; from `most` on it has to
// fail.
Tensor count_by_bisection(Fusion& f, const std::vector<Expr>& indices,
                          const std::vector<Expr>& shape, std::int64_t most,
                          const std::function<Element(const Element& number)>& holds);

}  // namespace selvage
