#pragma once

#include <selvage/expr/expr.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace selvage {

// The value of an expression in 128-bit arithmetic, straight from the definitions of its operators:
// what decides in the tests whether two expressions are equal, also where 64 bits would overflow on
// the way. Division is Euclidean; select and && evaluate all their operands.
class ExactValue {
 public:
  ExactValue(Expr e, std::span<const Expr> symbols);

  // Where the symbols have these values; nothing where a divisor is 0, 128 bits do not suffice, or
  // an opaque Load or Call is met.
  std::optional<__int128> at(std::span<const std::int64_t> values);
  // Whether the last value was nothing for want of bits alone.
  bool overflowed() const { return overflowed_; }

 private:
  struct Step {
    Op op;
    std::int64_t number;  // of a Const or Bool; the position of a Symbol
    std::array<std::size_t, 3> operands;
  };
  std::optional<__int128> compute(const Step& step, std::span<const std::int64_t> values);

  std::vector<Step> steps_;
  std::vector<__int128> results_;  // of the steps
  bool overflowed_ = false;
};

}  // namespace selvage
