#pragma once

#include <selvage/ir/scalar.h>

namespace selvage {

// How a function is written, as a pattern for expand (codegen/helpers.h): `real` for floats,
// `integer` for integers and bool, `natural` for unsigned integers and `truth` for bool where that
// differs. Operators bind as in C; everything else is a call.
struct FunctionForm {
  int precedence;
  const char* real;
  const char* integer;
  const char* natural = nullptr;
  const char* truth = nullptr;
};
FunctionForm form_of(Function f);
// The pattern for floats where the function is computed fast, always a call; null if only its
// operators are written otherwise, or nothing is (ir/fast_math.h).
const char* fast_pattern(Function f);

}  // namespace selvage
