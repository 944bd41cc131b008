#pragma once

#include <selvage/simplifier/linear.h>
#include <selvage/simplifier/simplifier.h>

#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace selvage {

// Chooses quotients and remainders to compute from others, so that a kernel divides as seldom as it
// can. Dividends that differ by a multiple of the divisor share one division:
//   x % c           ->  x - x/c * c               where x/c is needed as well
//   (x + k*c) / c   ->  x/c + k                   likewise
//   (x + k*c) % c   ->  x % c                     where no quotient is
//   x % (a*b)       ->  x - (x/a - x/a%b) * a     where the two digits are
// and a remainder a little further takes one step back or forth:
//   (x + k) % c     ->  (x - x/c * c + k) % c     where x/c is needed and -c <= k <= c: no division
//                                                 is left, as that lies within -c and 2c
// By Euclidean division these equations hold for every divisor but 0 (the last one for positive
// divisors) and for all values that the facts of `ranges` allow, without guards; so they may be
// used anywhere. Every intermediate is no larger than x or proved to fit 32 bits. Divisions by a
// constant power of two stay: a shift or a mask costs no more than a multiplication.
class SharedDivisions {
 public:
  SharedDivisions(std::span<const Expr> roots, Simplifier& ranges);

  // base - quotient * divisor + more - less; terms that are not valid() are left out.
  struct Form {
    Expr base;
    Expr quotient = {}, divisor = {};
    Expr more = {}, less = {};
    bool is_reduced = false;  // by `divisor`, after all
  };
  // How to compute e; nullptr: by a division of its own.
  const Form* find(Expr e) const;
  // The sum with remainders replaced by quotients where that makes it no longer: x%60 - x%10 is
  // x/10*10 - x/60*60.
  LinearSum written_out(const LinearSum& sum);

 private:
  // Divisions by one divisor whose dividends are congruent.
  struct Class {
    Expr divisor;
    std::vector<Expr> quotients, remainders;
  };
  void collect(std::span<const Expr> roots);
  const LinearSum& dividend(Expr x, Expr divisor);
  std::int64_t divisible_part(std::int64_t k, Expr d, Expr divisor);
  Expr residue(Expr x, Expr divisor);
  std::vector<Class> classes();

  void share(const Class& c, std::span<const Class> all);
  void share_quotients(const Class& c, Expr chosen);
  Expr choose_quotient(const Class& c);
  std::optional<LinearSum> shift(Expr from, Expr to);
  void share_remainders(const Class& c, std::span<const Class> all);
  bool from_near_quotient(Expr remainder, std::span<const Class> all);
  bool from_digits(Expr remainder, const Class& c);
  bool from_simplified_quotient(Expr remainder);
  bool use(Expr e, const Form& form);
  bool reaches(const Form& form, Expr target);

  bool is_positive(Expr e);
  bool multiple_fits(Expr x, Expr c);
  bool is_free(Expr e) const;

  Simplifier& ranges_;
  std::vector<Expr> divisions_;  // that may be shared: operands first, in the order of the roots
  std::unordered_set<std::uint32_t> needed_;      // ids of divisions_
  bool any_quotient_ = false;                     // among divisions_
  std::unordered_map<std::uint32_t, int> users_;  // of any expression, by id
  std::map<std::pair<std::uint32_t, std::uint32_t>, LinearSum> dividends_;
  std::unordered_map<std::uint32_t, Form> forms_;  // by id
  // Remainders x/a % b, by a*b and x.
  std::map<std::pair<std::uint32_t, std::uint32_t>, Expr> digits_;
  int steps_ = 0;  // left for following dependencies
};

}  // namespace selvage
