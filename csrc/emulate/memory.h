#pragma once

#include <selvage/base/array.h>
#include <selvage/ir/scalar.h>

#include <cstdint>

namespace selvage {

// Reads element k in its compute type, and stores it. A stored value must be one that `convert` has
// rounded to the array's type.
Scalar load_element(const Array& a, std::int64_t k);
void store_element(Array& a, std::int64_t k, Scalar v);

// The nearest double.
double as_real(const Scalar& v);

}  // namespace selvage
