#pragma once

#include <selvage/base/data_type.h>
#include <selvage/ir/scalar.h>

#include <string>
#include <string_view>

namespace selvage {

class Helpers;

// add, min or max.
std::string_view atomic_word(Function f);
// The name of a helper that is an atomic *p = f(*p, v) for Add, Min or Max and any type of element:
// atomic_add_float(p, v). *p and v have the storage type; f is applied in the compute type, and its
// result rounded to the storage type. On the GPU the helper uses an atomic instruction if there is
// one that gives these bits (except that float sums in global memory flush subnormals to 0), else
// compare and swap of 16, 32 or 64 bits, or of the 32 bits around a byte.
std::string atomic_name(Function f, DataType type);
// The helper's definition in C. Adds the helpers that it calls to `helpers`.
std::string atomic_definition(Function f, DataType type, Helpers& helpers);

}  // namespace selvage
