#pragma once

#include <selvage/simplifier/linear.h>

#include <functional>
#include <optional>
#include <vector>

namespace selvage {

// A sum whose numbers may need more than 64 bits on the way to one whose numbers do not.
struct WideSum {
  struct Term {
    Expr monomial;
    __int128 coefficient;
  };
  std::vector<Term> terms;
  __int128 constant = 0;

  // Nothing where a number does not fit.
  std::optional<LinearSum> narrowed() const;
};

// The sum that e is, as written; `linear` gives those of what is no sum, or no sum of sums. Nothing
// where e is large, or 128 bits do not suffice.
std::optional<WideSum> wide_sum(Expr e, const std::function<LinearSum(Expr)>& linear);
// greater - lesser without what divides all coefficients: at least 0 just where that is.
std::optional<WideSum> wide_difference(const WideSum& greater, const WideSum& lesser);

// sum = quotient*d + rest, for d >= 1, with numbers of the rest in [0, d).
struct WideDivision {
  WideSum quotient, rest;
};
WideDivision divide(const WideSum& sum, std::int64_t d);

}  // namespace selvage
