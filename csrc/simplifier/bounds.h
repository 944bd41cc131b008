#pragma once

#include <selvage/simplifier/congruence.h>
#include <selvage/simplifier/facts.h>
#include <selvage/simplifier/interval.h>
#include <selvage/simplifier/linear.h>
#include <selvage/simplifier/memo.h>
#include <selvage/simplifier/width.h>

#include <algorithm>
#include <optional>

namespace selvage {

// Knows what can be read off an expression, whatever its value: which sum it is, what it costs,
// which symbols are in it. Asks the facts for the order of symbols and what bounds them, no more.
// What it says stays true under other assumptions, so it is never forgotten.
class Structure {
 public:
  explicit Structure(const Facts& facts) : facts_(facts) {}

  // The sum that a simplified expression stands for.
  const LinearSum& sum_of(Expr e);
  // e was made from this sum; what is there already may be in use, and stays.
  void remember(Expr e, LinearSum sum);
  // Of a normal form: is there a product in it that would overflow, multiplied out? What is read
  // from it may be put in other groups than it was made from.
  bool has_kept_product(Expr e);

  // As cost_of().
  int cost(Expr e);
  std::int64_t cost(const LinearSum& sum);
  // Divisions and remainders at any depth.
  int all_divisions(Expr e);
  int all_divisions(const LinearSum& sum);

  // A bit for each symbol in e and in the bounds of these, shared by symbols 64 apart.
  std::uint64_t symbol_mask(Expr e);
  std::uint64_t symbol_mask(const LinearSum& sum);
  std::uint64_t own_bit(Expr symbol) const;
  // Symbols by the depth of their declaration; a compound atom goes just before its last symbol.
  std::size_t elimination_rank(Expr atom);

 private:
  struct Known {
    std::optional<LinearSum> sum;
    std::optional<bool> has_kept_product;
    int cost = 0, divisions = 0;
    std::uint32_t depth = 0;
    std::uint64_t symbols = 0;
  };

  std::size_t scope_depth(Expr e);

  const Facts& facts_;
  Memo<Known> known_;
};

// Knows between which numbers a value lies, and what it leaves by which divisor. Asks the facts
// for symbols and Structure for the sums that expressions are; nothing is rewritten or proved.
// From above: each operator takes intervals of operands to one that holds all results (interval.h,
// congruence.h). Only the digits x / a and x % a of one number in a sum are looked at together.
class ValueBounds {
 public:
  ValueBounds(Facts& facts, Structure& structure) : facts_(facts), structure_(structure) {}

  Interval interval(Expr e);
  Interval interval(const LinearSum& sum);
  Congruence congruence(Expr e);
  Congruence congruence(const LinearSum& sum);
  // Of every intermediate of a sum, term by term. Rules that multiply out must not make an
  // intermediate that no longer fits where what they replace did.
  Width width(const LinearSum& sum);
  // Is the sum no wider than the widest of these?
  bool fits(const LinearSum& sum, const LinearSum& a, const LinearSum& b) {
    return width(sum) <= std::max(width(a), width(b));
  }

  // The values of e lie there, too, by assumptions: more than its structure says.
  void narrow_to(Expr e, const Interval& range);

 private:
  struct Known {
    std::optional<Interval> interval;
    std::optional<Interval> narrowed;
    std::optional<Congruence> congruence;
  };

  Interval compute_interval(Expr e);
  Interval interval_of_digits(Expr x, std::int64_t a, std::int64_t low, std::int64_t high);
  Congruence compute_congruence(Expr e);

  Facts& facts_;
  Structure& structure_;
  Memo<Known> known_;
};

}  // namespace selvage
