#pragma once

#include <selvage/base/array.h>
#include <selvage/ir/scalar.h>

#include <cstdint>

namespace selvage {

// Element k in its compute type, and back: what `convert` has rounded to the array's type is stored
// as it is.
Scalar load_element(const Array& a, std::int64_t k);
void store_element(Array& a, std::int64_t k, Scalar v);

// The nearest double.
double as_real(const Scalar& v);

}  // namespace selvage
