#pragma once

#include <selvage/expr/substitute.h>
#include <selvage/simplifier/interval.h>
#include <selvage/simplifier/linear.h>

#include <functional>
#include <unordered_set>
#include <vector>

namespace selvage {

// Given two equal sums over two copies of some variables, finds expressions with the same value in
// both copies ("that agree"):
//
//   4*ty + tx = 4*ty' + tx' with 0 <= tx, tx' < 4
//   tx - tx' is a multiple of 4 and between -3 and 3: tx agrees, and then ty does
//
// Sums are so taken apart digit by digit, if coefficients are numbers. From quotients, remainders
// and xors that agree, the expressions that they determine are derived.
class Agreement {
 public:
  // `second` maps variables of the first copy to those of the second; both share all others.
  // `range`: the range of any symbol of either copy.
  Agreement(ExprPool& pool, Environment second, std::function<Interval(Expr)> range);

  // Learns that a, over the variables of the first copy, equals b, over those of the second.
  // Returns false if they are never equal.
  bool equate(Expr a, Expr b);
  // Learns that x, over the first copy's variables, agrees.
  void learn(Expr x);

  // Whether x agrees.
  bool agrees(Expr x);
  // All that was found to agree, over the first copy's variables.
  const std::vector<Expr>& found() const { return found_; }

 private:
  struct Term {
    Expr monomial;  // of the first or of the second copy
    std::int64_t coefficient;
    Interval range;
    bool is_pair;  // stands for: the monomial of the first copy minus that of the second
  };
  struct Equation {
    LinearSum first, second;
    bool is_solved = false;
  };

  Expr in_second(Expr x) const { return substitute(x, second_); }
  Interval interval(Expr x);
  bool solve(Equation& equation);
  bool solve(std::vector<Term> terms, std::int64_t constant, bool& is_solved);
  bool settle();
  void combine(Expr x);
  void learn_factor(Expr monomial);

  static constexpr std::size_t kMostEquations = 64;

  ExprPool& pool_;
  Environment second_;
  std::function<Interval(Expr)> range_;
  std::vector<Equation> equations_;
  std::vector<Expr> found_;
  std::unordered_set<std::uint32_t> known_;
  std::size_t combined_ = 0;  // so many of found_ have been through combine()
  int free_symbols_ = 0;
};

}  // namespace selvage
