#pragma once

#include <selvage/base/recycling.h>
#include <selvage/expr/expr.h>

#include <optional>
#include <vector>

namespace selvage {

// Whether e is a sum, a difference or a product, which to_linear() takes apart.
inline bool is_sum(Expr e) { return e.is(Op::Add) || e.is(Op::Sub) || e.is(Op::Mul); }

// A canonical sum: constant + sum of coefficient * monomial. A monomial is an atom (anything that
// is no sum, difference, product or constant) or a product of atoms in canonical order, kept as an
// expression. Two sums are equal as polynomials if and only if they are equal term by term.
struct LinearSum {
  struct Term {
    Expr monomial;
    std::int64_t coefficient;
  };
  std::vector<Term, Recycling<Term>> terms;  // in canonical order of monomials, no coefficient 0
  std::int64_t constant = 0;

  static LinearSum of_constant(std::int64_t v) { return {{}, v}; }
  static LinearSum of_atom(Expr atom) { return {{{atom, 1}}, 0}; }
  // An invalid monomial is 1.
  static LinearSum of_term(std::int64_t coefficient, Expr monomial) {
    if (!monomial.valid()) return of_constant(coefficient);
    return {{{monomial, coefficient}}, 0};
  }
  bool is_constant() const { return terms.empty(); }
  bool is_zero() const { return terms.empty() && constant == 0; }
  bool equals(const LinearSum& other) const;
};

struct SumHash {
  std::size_t operator()(const LinearSum& sum) const;
};
struct SumEqual {
  bool operator()(const LinearSum& a, const LinearSum& b) const { return a.equals(b); }
};

// a + scale*b, a*b and k*a. Nothing if a coefficient would overflow 64 bits or the result would
// have more than kMostTerms terms; multiply() gives up on two long sums earlier.
inline constexpr std::size_t kMostTerms = 64;
std::optional<LinearSum> add(const LinearSum& a, const LinearSum& b, std::int64_t scale = 1);
std::optional<LinearSum> multiply(const LinearSum& a, const LinearSum& b);
std::optional<LinearSum> scale(const LinearSum& a, std::int64_t k);
// sum - 1; nothing if there is no sum or the constant overflows.
std::optional<LinearSum> one_less(const std::optional<LinearSum>& sum);
// -sum - 1, which is at least 0 exactly where the sum is negative.
std::optional<LinearSum> negation(const LinearSum& sum);
// sum - out + in.
std::optional<LinearSum> with_instead(const LinearSum& sum, const LinearSum& out,
                                      const LinearSum& in);
LinearSum without_term(LinearSum sum, std::size_t i);

// Reads e as a sum, through its sums, differences and products; reverses to_expr(). A part that
// would overflow when multiplied out is one atom.
LinearSum to_linear(Expr e);

// The same, but a large e is one atom: to_linear() visits a shared part once for every path to it.
LinearSum to_linear_or_atom(Expr e);

// The sum as a person would write it: products of higher degree first, larger coefficients first,
// negative terms behind, the constant last: `i*N + j - k*2 + 5`.
Expr to_expr(ExprPool& pool, const LinearSum& sum);

// The atoms of a monomial, with repetition.
using Atoms = std::vector<Expr, Recycling<Expr>>;
Atoms atoms_of(Expr monomial);
// monomial / divisor; nothing unless all atoms of the divisor are atoms of the monomial. An invalid
// Expr is 1, in arguments and result.
std::optional<Expr> divide_monomial(ExprPool& pool, Expr monomial, Expr divisor);
// The product of two monomials; either may be invalid (1).
Expr multiply_monomials(ExprPool& pool, Expr a, Expr b);

// sum = quotient * divisor + rest. The quotient takes what is divisible term by term, and is zero
// if nothing is. If the divisor is a number, the constant is divided as Euclid does.
struct Division {
  LinearSum quotient, rest;
};
// By a number, divide_terms() rounds the quotient of a coefficient towards 0; divide_down() rounds
// it down, so that the rest has no negative coefficient (d >= 1).
std::optional<Division> divide_down(const LinearSum& sum, std::int64_t d);
// The terms whose coefficients d divides, divided by it, and the other terms. Both constants are 0:
// what becomes of the constant of the sum is the caller's choice.
Division divisible_terms(const LinearSum& sum, std::int64_t d);
std::optional<Division> divide_terms(ExprPool& pool, const LinearSum& sum,
                                     const LinearSum& divisor);

// The term with this monomial; nullptr if there is none.
const LinearSum::Term* find_term(const LinearSum& sum, Expr monomial);
// The k for which the sum has each term of k*x with exactly its coefficient, constants ignored; 0
// if there is none.
std::int64_t multiple_within(const LinearSum& sum, const LinearSum& x);

// The number of divisions and remainders in monomials, those nested in others not counted.
std::size_t divisions(const LinearSum& sum);

// The greatest common divisor of the coefficients, the constant left out; 0 for a constant.
std::int64_t content(const LinearSum& sum);

}  // namespace selvage
