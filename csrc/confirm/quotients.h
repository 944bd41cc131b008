#pragma once

#include <selvage/expr/expr.h>

#include <span>
#include <vector>

namespace selvage {

// What hints are made of.

struct Quotient {
  Expr dividend, divisor;
  Expr quotient() const { return dividend / divisor; }
  Expr remainder() const { return dividend % divisor; }
};
// Each pair once, whether its quotient occurs, its remainder or both; inner ones first.
std::vector<Quotient> quotients_of(std::span<const Expr> expressions);

// What is multiplied, or divided by, and is no number, a product taken apart.
std::vector<Expr> multipliers(std::span<const Expr> expressions);

Expr implies(Expr premise, Expr conclusion);
Expr positive(Expr d);

// Past this many nodes an expression is left out of hints: they would cost more than they tell.
inline constexpr std::uint32_t kLargestInHints = 64;
inline constexpr std::size_t kMostFactors = 10;

template <class List>
void keep_first(List& list, std::size_t most) {
  if (list.size() > most) list.erase(list.begin() + std::ptrdiff_t(most), list.end());
}

}  // namespace selvage
