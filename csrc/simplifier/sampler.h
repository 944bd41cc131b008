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

// The points that facts allow, drawn at random or gone through one by one, and the values of some
// expressions there. Symbols are those of the expressions and all that the facts tie to them, in
// the order of declaration: what bounds a symbol comes before it.
//
// What is drawn lies at ends of ranges often, and near them else: that is where claims fail. The
// same seed draws the same points everywhere; a point that the facts do not allow is drawn again.
class Sampler {
 public:
  Sampler(const Facts& facts, std::span<const Expr> roots, std::uint64_t seed = kSeed);

  const std::vector<Expr>& symbols() const { return symbols_; }
  // Values of symbols(), and of the roots, at the point where it stands.
  const std::vector<std::int64_t>& values() const { return values_; }
  std::int64_t root(std::size_t i) const { return tape_.root(i); }
  Point point() const { return point_at(symbols_, values_); }
  // What the facts say of a symbol alone.
  const Interval& range(std::size_t symbol) const { return own_[symbol].range; }
  // Nodes that are evaluated at each point.
  std::int64_t cost() const { return cost_; }

  // Each moves to a point. False: the facts do not allow it, or a root or a fact has no value
  // there.
  bool move_to(std::span<const std::int64_t> values);
  bool move(std::size_t symbol, std::int64_t value);
  // Draws once. Values lie within about so many members of the near end of their ranges, or at the
  // far end, or where that is bounded, sometimes, anywhere.
  bool draw(std::int64_t spread);

  // The points of the ranges, congruences counted; nothing where they have no end or are more.
  std::optional<std::int64_t> count(std::int64_t most) const;
  // Moves to each point of the ranges that the facts allow, the last symbol fastest, until `visit`
  // says no. False: it did. Ranges must have ends.
  template <class Visit>
  bool for_each(Visit visit) {
    return for_each_from(0, visit);
  }

 private:
  static constexpr std::uint64_t kSeed = 0x5E1A6E;

  struct Own {
    Interval range;
    Congruence congruence;
    std::optional<Tape> ends;  // lower and upper one, where they are no numbers
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
  Tape tape_;  // the roots, then what the facts say of several symbols
  std::size_t conditions_ = 0;
  std::int64_t cost_ = 0;
  std::vector<std::int64_t> values_;
  SplitMix64 random_;
};

// A value of a range, which is not empty, and of a congruence, as a Sampler draws it; it may lie
// outside of the range where that has no such member.
std::int64_t draw_value(Interval range, const Congruence& congruence, std::int64_t spread,
                        SplitMix64& random);

}  // namespace selvage
