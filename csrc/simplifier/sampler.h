#pragma once

#include <selvage/base/integer.h>
#include <selvage/base/random.h>
#include <selvage/expr/tape.h>
#include <selvage/simplifier/facts.h>
#include <selvage/simplifier/point.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace selvage {

// Goes to points that the facts allow, drawn at random or one after another, and evaluates some
// expressions (roots) there. Its symbols are those of the roots and all that the facts relate to
// these, in the order of declaration: the symbols in a bound come before the symbol that it bounds.
//
// Drawn values often lie at ends of ranges, and mostly near them otherwise, since claims fail
// there. A seed draws the same points everywhere.
class Sampler {
 public:
  Sampler(const Facts& facts, std::span<const Expr> roots, std::uint64_t seed = kSeed);

  const std::vector<Expr>& symbols() const { return symbols_; }
  // Values of symbols(), and of a root, at the current point.
  const std::vector<std::int64_t>& values() const { return values_; }
  std::int64_t root(std::size_t i) const { return tape_.root(i); }
  Point point() const { return point_at(symbols_, values_); }
  // The bounds of a symbol that are numbers.
  const Interval& range(std::size_t symbol) const { return own_[symbol].range; }
  // The number of nodes that are evaluated at each point.
  std::int64_t cost() const { return cost_; }

  // Each moves to a point, and returns false if the facts do not allow the point, or a root or a
  // fact has no value there.
  bool move_to(std::span<const std::int64_t> values);
  bool move(std::size_t symbol, std::int64_t value);
  // Draws one point. Most values lie within about `spread` members from the near end of their
  // range, some at its far end, some anywhere in it.
  bool draw(std::int64_t spread);

  // The number of points in the ranges, congruences counted; nothing if a range is unbounded or
  // there are more than `most`.
  std::optional<std::int64_t> count(std::int64_t most) const;
  // Moves to each point that the facts allow, the last symbol fastest, until visit() returns false;
  // returns false then. Ranges must be bounded.
  template <class Visit>
  bool for_each(Visit visit) {
    return for_each_from(0, visit);
  }

 private:
  static constexpr std::uint64_t kSeed = 0x5E1A6E;

  struct Own {
    Interval range;
    Congruence congruence;
    std::optional<Tape> ends;  // lower and upper bound, where not numbers
    bool has_lo = false, has_hi = false;
  };

  bool stand();
  template <class Visit>
  bool for_each_from(std::size_t i, Visit& visit) {
    if (i == symbols_.size()) return !stand() || visit();
    const Own& own = own_[i];
    const std::int64_t step = std::max<std::int64_t>(own.congruence.modulus, 1);
    for (auto v = first_member(own.range.lo, own.congruence); v && *v <= own.range.hi;
         v = checked_add(*v, step)) {
      values_[i] = *v;
      if (!for_each_from(i + 1, visit)) return false;
    }
    return true;
  }

  std::vector<Expr> symbols_;
  std::vector<Own> own_;  // by symbol
  std::size_t roots_;
  Tape tape_;  // the roots, then the conditions that relate symbols
  std::size_t conditions_ = 0;
  std::int64_t cost_ = 0;
  std::vector<std::int64_t> values_;
  SplitMix64 random_;
};

// Draws a value of a range and a congruence as a Sampler does. The range must not be empty; if it
// has no member of the congruence, the value may lie outside of it.
std::int64_t draw_value(Interval range, const Congruence& congruence, std::int64_t spread,
                        SplitMix64& random);

}  // namespace selvage
