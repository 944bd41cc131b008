#pragma once

#include <selvage/expr/expr.h>

#include <span>
#include <vector>

namespace selvage {

// Conditions that hold at every point where no divisor is 0, about the quotients, remainders,
// products and xors of some expressions. Z3 does not find them by itself if divisors are no
// numbers, and knows nothing of xor.

// For every division: e = d*(e/d) + e%d, and 0 <= e%d < d for d > 0; < -d where d may be negative.
std::vector<Expr> euclid_hints(std::span<const Expr> expressions);

// For every divisor d and many terms k that may be 0: d*k is 0 if k is, else at least d or at most
// -d. The terms k are differences of e/d and other quotients, sums of these, factors, 0 and -1, and
// quotients of dividends divided as polynomials; and differences of the two sides of equations.
std::vector<Expr> quotient_hints(std::span<const Expr> expressions);

// Products that linear arithmetic does not derive: 0 <= g and 1 <= n imply 0 <= g*(n - 1), for
// every difference g that is compared and every factor n; and if d divides e, n*e is n*d*(e/d).
std::vector<Expr> product_hints(std::span<const Expr> expressions);

// x ^ y is y ^ x, x ^ 0 is x, x ^ x is 0, x ^ y ^ y is x, and x ^ y is below a power of two that
// both x and y are below.
std::vector<Expr> xor_hints(std::span<const Expr> expressions);

// Every divisor that is no number differs from 0.
std::vector<Expr> defined(std::span<const Expr> expressions);

// The symbols that are factors of products, or divisors: with numbers in their place, only linear
// arithmetic is left.
std::vector<Expr> factors(std::span<const Expr> expressions);

}  // namespace selvage
