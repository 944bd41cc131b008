#pragma once

#include <selvage/driver/run.h>
#include <selvage/emulate/error_bounds.h>

namespace selvage {

// The error model of the kernels of a program: bounds the number of additions that an item of a
// float fold goes through, one after the other, and on a GPU the errors of exp, tanh and the like.
ErrorModel error_model(const Program& program, Machine machine);

}  // namespace selvage
