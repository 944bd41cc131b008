#pragma once

#include <selvage/base/recycling.h>
#include <selvage/expr/expr.h>

#include <optional>
#include <vector>

namespace selvage {

// Is it a sum, a difference or a product: what a sum is read from?
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

// Nothing where a coefficient would leave 64 bits, or the result have more than kMostTerms terms.
inline constexpr std::size_t kMostTerms = 64;
std::optional<LinearSum> add(const LinearSum& a, const LinearSum& b, std::int64_t scale = 1);
std::optional<LinearSum> multiply(const LinearSum& a, const LinearSum& b);
std::optional<LinearSum> scale(const LinearSum& a, std::int64_t k);
// sum - 1; nothing of nothing.
std::optional<LinearSum> one_less(const std::optional<LinearSum>& sum);
// -sum - 1, which is at least 0 just where the sum is not.
std::optional<LinearSum> negation(const LinearSum& sum);
// sum - out + in.
std::optional<LinearSum> with_instead(const LinearSum& sum, const LinearSum& out,
                                      const LinearSum& in);
LinearSum without_term(LinearSum sum, std::size_t i);

// The sum that an expression made by to_expr stands for; any other expression is read as far as its
// sums, differences and products go. What would overflow stays one atom.
LinearSum to_linear(Expr e);

// The same, but a large tree is one atom: it may share its parts without end, and reading it goes
// over every path.
LinearSum to_linear_or_atom(Expr e);

// The expression a person would write: products of higher degree first, larger coefficients first,
// negative terms behind, the constant last: `i*N + j - k*2 + 5`.
Expr to_expr(ExprPool& pool, const LinearSum& sum);

// The atoms of a monomial, with repetition.
using Atoms = std::vector<Expr, Recycling<Expr>>;
Atoms atoms_of(Expr monomial);
// monomial / divisor, if divisor's atoms are among its atoms: nothing otherwise; an invalid Expr
// is 1.
std::optional<Expr> divide_monomial(ExprPool& pool, Expr monomial, Expr divisor);
// The product of two monomials; either may be invalid (1).
Expr multiply_monomials(ExprPool& pool, Expr a, Expr b);

// sum = quotient * divisor + rest, as much of sum in quotient as is divisible term by term.
// Constants are divided as Euclid does. Quotient is zero where nothing is divisible.
struct Division {
  LinearSum quotient, rest;
};
// divide_terms() leaves a negative coefficient negative; divide_down() leaves none, for d >= 1.
std::optional<Division> divide_down(const LinearSum& sum, std::int64_t d);
std::optional<Division> divide_terms(ExprPool& pool, const LinearSum& sum,
                                     const LinearSum& divisor);

// Nothing where the sum has no such monomial.
const LinearSum::Term* find_term(const LinearSum& sum, Expr monomial);
// k, if all terms of k*x are in the sum with just these coefficients; else 0.
std::int64_t multiple_within(const LinearSum& sum, const LinearSum& x);

// How many divisions and remainders the sum has; what they hold is not counted.
std::size_t divisions(const LinearSum& sum);

// The greatest common divisor of the coefficients, the constant left out; 0 for a constant.
std::int64_t content(const LinearSum& sum);

}  // namespace selvage
