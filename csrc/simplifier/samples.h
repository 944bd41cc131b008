#pragma once

#include <selvage/base/random.h>
#include <selvage/simplifier/facts.h>
#include <selvage/simplifier/linear.h>
#include <selvage/simplifier/memo.h>

#include <array>
#include <cstdint>
#include <vector>

namespace selvage {

// A few points that the facts allow, and the values of expressions there. A sum that is negative at
// one of them is not always at least 0, which spares most proofs that would fail.
class Samples {
 public:
  static constexpr std::size_t kPoints = 8;

  // Chooses the points. If none is found, nothing is ever refuted.
  explicit Samples(const Facts& facts);

  // Bit k of a mask stands for point k.
  using Mask = std::uint8_t;
  static constexpr Mask kAll = 0xFF;

  // Whether the sum is negative at one of these points.
  bool refutes_nonnegative(const LinearSum& sum, Mask points = kAll);
  // The points at which the sum has a value and is at least 0.
  Mask nonnegative(const LinearSum& sum);

 private:
  struct Values {
    std::array<std::int64_t, kPoints> at;
    Mask defined = 0;
    bool known = false;
  };

  Mask choose_symbol(const Facts::Symbol& s, Mask points);
  const Values& values(Expr e);
  // Puts the values of the sum at `points` into `out`; clears the bits of points without one.
  void evaluate(const LinearSum& sum, Mask& points, std::array<std::int64_t, kPoints>& out);
  void compute(Expr e, Values& out);

  Memo<Values> values_;
  std::vector<Facts::Symbol> free_;  // symbols without facts, met so far
  Mask allowed_ = 0;
  SplitMix64 random_{0x5E1A6E};
};

}  // namespace selvage
