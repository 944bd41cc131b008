#pragma once

#include <selvage/ir/scalar.h>

namespace selvage {

// How tightly a function's text binds, as C has it and the operators of expr.h do: that of + for
// Add, of * for TrueDiv, FloorDiv (//) and Mod; kCall for what is written as name(operands). Neg
// and Not are prefix signs and bind as !.
int precedence(Function f);

}  // namespace selvage
