#pragma once

#include <selvage/ir/scalar.h>

namespace selvage {

// The precedence of a function's text, as in C and as for the operators of expr.h: that of + for
// Add, of * for TrueDiv, FloorDiv (//) and Mod; kCall for text of the form name(operands). Neg and
// Not are prefix signs and bind as !.
int precedence(Function f);

}  // namespace selvage
