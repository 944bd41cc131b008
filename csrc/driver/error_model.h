#pragma once

#include <selvage/driver/run.h>
#include <selvage/emulate/error_bounds.h>

namespace selvage {

// What the kernels of a program do that the unscheduled program does not: their folds of floats run
// in an order of their own, in which no item goes through more additions, one after the other, than
// the model says; and on a GPU exp, tanh and the like are the GPU's.
ErrorModel error_model(const Program& program, Machine machine);

}  // namespace selvage
