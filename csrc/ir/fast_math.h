#pragma once

#include <selvage/ir/scalar.h>

namespace selvage {

// How a function of floats is computed on a GPU: as it is defined (ir/scalar.h), or in fewer
// instructions, whose results are off by at most fast_error(). What is computed in double, and
// functions without has_fast_form(), are always exact. The reference and the emulator compute
// everything exactly.
enum class Math : std::uint8_t { Exact, Fast };

// Of a product this means that it need not be rounded before something is added to it.
bool has_fast_form(Function f);

// The most by which the fast form of f(a) or f(a, b) is off, in half units in the last place of a
// float result, or of 1 if that is more; infinite where nothing is promised. b is a where the
// function has one operand.
double fast_error(Function f, double a, double b);

}  // namespace selvage
