#pragma once

#include <selvage/simplifier/interval.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace selvage {

// Values of some parameters: parameter k is start + step * p, 0 <= p < count.
struct ParameterBox {
  static constexpr std::size_t kMost = 12;  // parameters
  struct Range {
    std::int64_t start = 0, step = 1, count = 1;
  };
  std::vector<Range> ranges;
  // What stands in the way of a value that no BoxForm expresses: a form of which it is not known
  // whether it is below 0, or what its quotient by `divisor` is. The first such comparison, or else
  // the first such quotient.
  struct Undecided {
    std::array<std::int64_t, kMost> by{};  // the multiples of each p
    std::int64_t divisor = 0;              // 0: a comparison

    bool is_set() const;
  };
  Undecided undecided = {};

  std::int64_t points() const;
};

// A value over a box: constant + sum of by[k] * p of parameter k. An algebra for expr/apply.h; a
// value that has no such form, for a quotient that is not the same throughout the box, say, is not
// known.
struct BoxForm {
  ParameterBox* box = nullptr;  // null: not known
  std::int64_t constant = 0;
  std::array<std::int64_t, ParameterBox::kMost> by{};

  bool is_known() const { return box != nullptr; }
  Interval range() const;
  bool is_constant() const;
};

// The value of parameter k; a number.
BoxForm parameter(ParameterBox& box, std::size_t k);
BoxForm number(ParameterBox& box, std::int64_t value);

BoxForm operator+(const BoxForm& a, const BoxForm& b);
BoxForm operator-(const BoxForm& a, const BoxForm& b);
BoxForm operator*(const BoxForm& a, const BoxForm& b);
BoxForm operator/(const BoxForm& a, const BoxForm& b);
BoxForm operator%(const BoxForm& a, const BoxForm& b);
BoxForm operator^(const BoxForm& a, const BoxForm& b);
BoxForm min(const BoxForm& a, const BoxForm& b);
BoxForm max(const BoxForm& a, const BoxForm& b);
BoxForm less(const BoxForm& a, const BoxForm& b);
BoxForm less_or_equal(const BoxForm& a, const BoxForm& b);
BoxForm equal(const BoxForm& a, const BoxForm& b);
BoxForm negation(const BoxForm& a);
BoxForm conjunction(const BoxForm& a, const BoxForm& b);
BoxForm disjunction(const BoxForm& a, const BoxForm& b);
BoxForm choice(const BoxForm& condition, const BoxForm& a, const BoxForm& b);

}  // namespace selvage
