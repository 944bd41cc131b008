#pragma once

#include <selvage/base/data_type.h>
#include <selvage/ir/scalar.h>

#include <string>

namespace selvage {

class Helpers;

// atomic_add_float(p, v): *p = *p + v, at once for all other threads, for every type of an element;
// min and max likewise. Both *p and v are as in memory; the function is applied in the compute
// type, its result rounded back. On the GPU by its own atomic instruction where there is one that
// gives these bits (but that float sums in global memory flush subnormals to 0), else by compare
// and swap: 16, 32 and 64 bits, or the 32 bits around a byte.
std::string atomic_name(Function f, DataType type);
// The definition, in C; notes the helpers that it calls.
std::string atomic_definition(Function f, DataType type, Helpers& helpers);

}  // namespace selvage
