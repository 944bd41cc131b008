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

// What can be read off an expression itself, whatever its value: the sum that it stands for, its
// cost, its symbols. Of the facts it reads only the order of symbols and their bounds. Assumptions
// do not change its answers, so they are never forgotten.
class Structure {
 public:
  explicit Structure(const Facts& facts) : facts_(facts) {}

  // The sum that a simplified expression stands for.
  const LinearSum& sum_of(Expr e);
  // Stores `sum` as the sum of e, which was made from it. Does nothing if a sum of e is stored
  // already, to which references may exist, or if e has a kept product.
  void remember(Expr e, LinearSum sum);
  // Whether the normal form e has a product that is kept because it would overflow when multiplied
  // out. The sum read from such an e may group terms otherwise than the one it was made from.
  bool has_kept_product(Expr e);

  // The cost as cost_of() counts it (csrc/expr/cost.h).
  int cost(Expr e);
  std::int64_t cost(const LinearSum& sum);
  // Divisions and remainders at any depth.
  int all_divisions(Expr e);
  int all_divisions(const LinearSum& sum);

  // One bit for each symbol in e and in the bounds of these symbols. Symbols whose positions in the
  // facts are 64 apart share a bit.
  std::uint64_t symbol_mask(Expr e);
  std::uint64_t symbol_mask(const LinearSum& sum);
  std::uint64_t own_bit(Expr symbol) const;
  // Proofs eliminate atoms of higher rank first. Symbols rank in the order of their declaration; a
  // compound atom ranks just above the last declared of its symbols.
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

// An interval and a congruence that hold every value of an expression, and perhaps others. Reads
// the facts about symbols and the sums of Structure; rewrites and proves nothing. Right because
// each operator takes intervals of operands to one that holds all results (interval.h,
// congruence.h). Terms of a sum are bounded one by one; only the digits x / a and x % a of one
// number together.
class ValueBounds {
 public:
  ValueBounds(Facts& facts, Structure& structure) : facts_(facts), structure_(structure) {}

  Interval interval(Expr e);
  Interval interval(const LinearSum& sum);
  Congruence congruence(Expr e);
  Congruence congruence(const LinearSum& sum);
  // The width of every intermediate when the sum is evaluated term by term. A rule that multiplies
  // out must not make a wider intermediate than the sum that it replaces.
  Width width(const LinearSum& sum);
  // Whether `sum` is no wider than the wider of a and b.
  bool fits(const LinearSum& sum, const LinearSum& a, const LinearSum& b) {
    return width(sum) <= std::max(width(a), width(b));
  }

  // Records that assumptions keep the values of e within `range`: interval(e) is intersected with
  // it from now on. A single value of symbol % number becomes a congruence of the symbol.
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
