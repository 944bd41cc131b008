#pragma once

#include <selvage/expr/expr.h>
#include <selvage/simplifier/interval.h>

#include <cstdint>

namespace selvage {

// The least of these that holds every value of something.
enum class Width : std::uint8_t { Int32, Int64, Beyond };
Width width_of(const Interval& values);

// The values of n's operator on operands with these values, as far as intervals tell: those of any
// number for a Symbol, Load or Call. Let is looked through.
Interval range_of_operator(Expr n, const Interval* operands);

}  // namespace selvage
