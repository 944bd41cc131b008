#pragma once

#include <selvage/simplifier/simplifier.h>

#include <optional>
#include <span>

namespace selvage {

// A condition drawn out of loops: what must hold outside for it to hold at every point inside.
struct Hoisted {
  Expr condition;      // over everything but the inner variables; simplified
  bool exact = false;  // false: it is sufficient, but may fail where all points inside are valid
};

// For all values of the inner loop variables (each from 0 to below its extent, which `ranges`
// knows), by the largest and the least value that each side of a comparison takes:
//   max (f + g)    = max f + max g                     where they share no inner variable
//   max (c * f)    = c * max f, or c * min f           by the sign of c
//   max (f / d)    = (max f) / d                       d >= 1 fixed inside: division is monotone
//   max (x + h)%d  = x%d + max h                       where that is below d, and else the largest
//                                                      number below d that is x modulo the step of
//                                                      h
//   max (x ^ v)    = x - x%n + n - 1                   v runs through [0, n), n a power of two
// h must run through all of 0, s, 2s, ..., max h, with s dividing d: digits that fit together.
// Any other form is written out point by point if that is short, else replaced by its range: so a
// condition may not be exact.
Hoisted hoist(Expr condition, std::span<const Expr> inner, Simplifier& ranges);

// The largest or the least value of an expression over all values of the inner variables, by the
// same rules, as an expression of everything else. Nothing where no rule finds it.
struct Extremum {
  Expr value;          // simplified
  bool exact = false;  // false: it is a bound, but may not be reached
};
std::optional<Extremum> extremum(Expr e, std::span<const Expr> inner, Simplifier& ranges,
                                 bool largest);

}  // namespace selvage
