#pragma once

#include <selvage/expr/expr.h>

#include <span>
#include <vector>

namespace selvage {

// Conditions that hold at every point where no divisor is 0, about the quotients, remainders,
// products and xors of some expressions: what Z3 does not find out by itself where divisors are no
// numbers, and of xor it knows nothing.

// e = d*(e/d) + e%d, and 0 <= e%d < d for d > 0, of every division; < -d where d may be negative.
std::vector<Expr> euclid_hints(std::span<const Expr> expressions);

// d*k is 0, or at least d, or at most -d, as k is 0 or not, for every divisor d and what may turn
// out to be 0: how far e/d is from other quotients, from sums of them, from factors, from 0 and -1,
// from what dividends give when divided as polynomials; and how far the sides of equations are from
// one another.
std::vector<Expr> quotient_hints(std::span<const Expr> expressions);

// Products that linear arithmetic does not think of. 0 <= g and 1 <= n give 0 <= g*(n - 1), for
// every difference g that is compared and every factor n; and where d divides e, n*e is n*d*(e/d).
std::vector<Expr> product_hints(std::span<const Expr> expressions);

// x ^ y is y ^ x, x ^ 0 is x, x ^ x is 0, x ^ y ^ y is x, and it stays below a power of two that
// both are below.
std::vector<Expr> xor_hints(std::span<const Expr> expressions);

// Every divisor that is no number differs from 0.
std::vector<Expr> defined(std::span<const Expr> expressions);

// The symbols that are factors of products, or divisors: with numbers for them nothing is left but
// linear arithmetic.
std::vector<Expr> factors(std::span<const Expr> expressions);

}  // namespace selvage
