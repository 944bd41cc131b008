#pragma once

#include <selvage/simplifier/linear.h>
#include <selvage/simplifier/simplifier.h>

#include <array>
#include <unordered_map>

namespace selvage {

// Regroups the sums of an expression so that no intermediate leaves 32 bits or, failing that, 64
// bits; returns an equal expression, the same one if regrouping does not help. Reason: a canonical
// sum is multiplied out, and x * 67108864 + c - 2147483648 leaves 32 bits where
// (x - 32) * 67108864 + c does not. Results for subexpressions are remembered, since expressions
// under the same facts have much in common.
class NarrowForms {
 public:
  explicit NarrowForms(const Facts& facts) : ranges_(facts) {}

  Expr operator()(Expr e) { return of(of(e, 0), 1); }
  std::size_t known_symbols() const { return ranges_.facts().symbols().size(); }

 private:
  // For one of the two widths, 0 or 1.
  Expr of(Expr e, std::size_t width);
  Expr of_operands(Expr e, std::size_t width);
  Expr regrouped(Expr e, std::size_t width);
  Expr split_off(const LinearSum& sum, std::int64_t g, std::int64_t constant);
  const LinearSum& linear(Expr e);
  bool fits(Expr e, std::size_t width);
  Interval range(Expr e);

  Simplifier ranges_;
  std::array<std::unordered_map<std::uint32_t, Expr>, 2> narrowed_;  // by width and id
  std::unordered_map<std::uint32_t, Interval> ranges_of_sums_;       // by id
  std::unordered_map<std::uint32_t, LinearSum> linear_;              // by id
};

}  // namespace selvage
