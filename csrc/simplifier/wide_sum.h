#pragma once

#include <selvage/simplifier/linear.h>

#include <functional>
#include <optional>
#include <vector>

namespace selvage {

// A sum with numbers of 128 bits, for computations whose result fits 64 bits again.
struct WideSum {
  struct Term {
    Expr monomial;
    __int128 coefficient;
  };
  std::vector<Term> terms;
  __int128 constant = 0;

  // The same with numbers of 64 bits; nothing if one does not fit, or there are too many terms.
  std::optional<LinearSum> narrowed() const;
};

// Reads e as a sum; `linear` gives the sums of operands that are not sums, differences or products.
// Nothing if e is large or 128 bits do not suffice; a product of two sums must fit 64 bits.
std::optional<WideSum> wide_sum(Expr e, const std::function<LinearSum(Expr)>& linear);
// greater - lesser, divided by the greatest common divisor of its coefficients, the constant
// rounded down: at least 0 exactly where greater - lesser is. Nothing on overflow.
std::optional<WideSum> wide_difference(const WideSum& greater, const WideSum& lesser);

// sum = quotient*d + rest, for d >= 1, with numbers of the rest in [0, d).
struct WideDivision {
  WideSum quotient, rest;
};
WideDivision divide(const WideSum& sum, std::int64_t d);

}  // namespace selvage
