#pragma once

#include <selvage/expr/substitute.h>
#include <selvage/simplifier/interval.h>
#include <selvage/simplifier/linear.h>

#include <functional>
#include <unordered_set>
#include <vector>

namespace selvage {

// What two copies of some variables agree in, once two sums over them are known to be equal:
//
//   4*ty + tx = 4*ty' + tx' with 0 <= tx, tx' < 4      tx - tx' is a multiple of 4 and less: both
//   agree
//
// Sums are taken apart like that digit by digit, where coefficients are numbers; quotients,
// remainders and xors that agree are put together again.
class Agreement {
 public:
  // `second`: what the second copy has for the variables of the first; others they share.
  // `range`: of any symbol, of both copies.
  Agreement(ExprPool& pool, Environment second, std::function<Interval(Expr)> range);

  // a, over the variables of the first copy, equals b, over those of the second. False: never.
  bool equate(Expr a, Expr b);
  // From here on x has one value in both copies: x is over the first one's variables.
  void learn(Expr x);

  // Does it have one value in both?
  bool agrees(Expr x);
  // What was found to agree, over the first copy's variables.
  const std::vector<Expr>& found() const { return found_; }

 private:
  struct Term {
    Expr monomial;  // in the first copy, or the second
    std::int64_t coefficient;
    Interval range;
    bool is_pair;  // the monomial in the first less that in the second
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
  std::size_t combined_ = 0;  // of found_
  int free_symbols_ = 0;
};

}  // namespace selvage
