#pragma once

#include <selvage/expr/expr.h>

#include <span>
#include <vector>

namespace selvage {

// A division in the expressions that hints are made for.

struct Quotient {
  Expr dividend, divisor;
  Expr quotient() const { return dividend / divisor; }
  Expr remainder() const { return dividend % divisor; }
};
// The divisions of which the quotient or the remainder occurs, each once, inner ones first.
std::vector<Quotient> quotients_of(std::span<const Expr> expressions);

// The divisors, and the factors of products, that are neither numbers nor products.
std::vector<Expr> multipliers(std::span<const Expr> expressions);

Expr implies(Expr premise, Expr conclusion);
Expr positive(Expr d);

// Expressions of more nodes are left out of hints, which would cost more than they help.
inline constexpr std::uint32_t kLargestInHints = 64;
inline constexpr std::size_t kMostFactors = 10;

template <class List>
void keep_first(List& list, std::size_t most) {
  if (list.size() > most) list.erase(list.begin() + std::ptrdiff_t(most), list.end());
}

}  // namespace selvage
