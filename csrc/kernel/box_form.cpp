#include <selvage/base/integer.h>
#include <selvage/kernel/box_form.h>

#include <algorithm>

namespace selvage {

namespace {

// Not known; remembers in the box what would have to be.
BoxForm undecided(const BoxForm& value, std::int64_t divisor = 0) {
  ParameterBox::Undecided& first = value.box->undecided;
  if (!first.is_set() || (divisor == 0 && first.divisor != 0)) first = {value.by, divisor};
  return {};
}

bool are_known(const BoxForm& a, const BoxForm& b) { return a.is_known() && b.is_known(); }

// a + factor * b; not known where a number leaves 64 bits.
BoxForm sum(const BoxForm& a, const BoxForm& b, std::int64_t factor) {
  if (!are_known(a, b)) return {};
  BoxForm result = a;
  const auto add = [&](std::int64_t& to, std::int64_t n) {
    const auto scaled = checked_mul(n, factor);
    const auto next = scaled ? checked_add(to, *scaled) : std::nullopt;
    if (next) to = *next;
    return next.has_value();
  };
  bool fits = add(result.constant, b.constant);
  for (std::size_t k = 0; k < ParameterBox::kMost; ++k) fits = add(result.by[k], b.by[k]) && fits;
  return fits ? result : BoxForm();
}

BoxForm truth(const BoxForm& of, bool value) { return number(*of.box, value ? 1 : 0); }

// Whether a - b lies in `yes` throughout the box (1), in `no` (0), or neither.
BoxForm decided(const BoxForm& a, const BoxForm& b, Interval yes, Interval no) {
  const BoxForm difference = a - b;
  if (!difference.is_known()) return {};
  const Interval range = difference.range();
  if (range.within(yes.lo, yes.hi)) return truth(a, true);
  if (range.within(no.lo, no.hi)) return truth(a, false);
  return undecided(difference);
}

constexpr Interval kNegative{Interval::kMinusInfinity, -1}, kNotNegative{0, Interval::kInfinity};
constexpr Interval kPositive{1, Interval::kInfinity}, kNotPositive{Interval::kMinusInfinity, 0};

bool is_truth(const BoxForm& a, bool value) {
  return a.is_known() && (a.constant != 0) == value;  // a truth is a constant
}

}  // namespace

bool ParameterBox::Undecided::is_set() const {
  return std::ranges::any_of(by, [](std::int64_t n) { return n != 0; });
}

std::int64_t ParameterBox::points() const {
  std::int64_t n = 1;
  for (const Range& r : ranges) n = saturating_mul(n, r.count);
  return n;
}

bool BoxForm::is_constant() const {
  return is_known() && std::ranges::all_of(by, [](std::int64_t n) { return n == 0; });
}

Interval BoxForm::range() const {
  Interval range = Interval::point(constant);
  for (std::size_t k = 0; k < box->ranges.size(); ++k) {
    const std::int64_t way = saturating_mul(by[k], box->ranges[k].count - 1);
    (way < 0 ? range.lo : range.hi) = saturating_add(way < 0 ? range.lo : range.hi, way);
  }
  return range;
}

BoxForm number(ParameterBox& box, std::int64_t value) { return {.box = &box, .constant = value}; }

BoxForm parameter(ParameterBox& box, std::size_t k) {
  BoxForm form = number(box, box.ranges[k].start);
  if (box.ranges[k].count > 1) form.by[k] = box.ranges[k].step;
  return form;
}

BoxForm operator+(const BoxForm& a, const BoxForm& b) { return sum(a, b, 1); }
BoxForm operator-(const BoxForm& a, const BoxForm& b) { return sum(a, b, -1); }

BoxForm operator*(const BoxForm& a, const BoxForm& b) {
  if (!are_known(a, b)) return {};
  if (b.is_constant()) return sum(number(*a.box, 0), a, b.constant);
  if (a.is_constant()) return sum(number(*a.box, 0), b, a.constant);
  return undecided(a);
}

// With the terms that d divides taken out, the rest has the same quotient throughout the box.
BoxForm operator/(const BoxForm& a, const BoxForm& b) {
  if (!are_known(a, b)) return {};
  if (!b.is_constant()) return undecided(b);
  const std::int64_t d = b.constant;
  if (d == 0) return {};
  BoxForm quotient = number(*a.box, 0), rest = a;
  for (std::size_t k = 0; k < ParameterBox::kMost; ++k) {
    if (a.by[k] % d != 0) continue;
    quotient.by[k] = a.by[k] / d;
    rest.by[k] = 0;
  }
  const Interval range = rest.range();
  const auto least = euclid_div(range.lo, d), most = euclid_div(range.hi, d);
  if (!range.has_lo() || !range.has_hi() || !least || least != most) return undecided(rest, d);
  quotient.constant = *least;
  return quotient;
}

BoxForm operator%(const BoxForm& a, const BoxForm& b) { return a - b * (a / b); }

BoxForm operator^(const BoxForm& a, const BoxForm& b) {
  if (!are_known(a, b)) return {};
  if (!a.is_constant()) return undecided(a);
  if (!b.is_constant()) return undecided(b);
  return number(*a.box, a.constant ^ b.constant);
}

BoxForm less(const BoxForm& a, const BoxForm& b) { return decided(a, b, kNegative, kNotNegative); }
BoxForm less_or_equal(const BoxForm& a, const BoxForm& b) {
  return decided(a, b, kNotPositive, kPositive);
}
BoxForm min(const BoxForm& a, const BoxForm& b) { return choice(less(a, b), a, b); }
BoxForm max(const BoxForm& a, const BoxForm& b) { return choice(less(a, b), b, a); }

BoxForm equal(const BoxForm& a, const BoxForm& b) {
  const BoxForm is_less = less(a, b);
  if (is_truth(is_less, true)) return truth(a, false);
  const BoxForm is_greater = less(b, a);
  if (is_truth(is_greater, true)) return truth(a, false);
  return is_less.is_known() && is_greater.is_known() ? truth(a, true) : BoxForm();
}

BoxForm negation(const BoxForm& a) { return a.is_known() ? truth(a, a.constant == 0) : BoxForm(); }

BoxForm conjunction(const BoxForm& a, const BoxForm& b) {
  if (is_truth(a, false)) return a;
  return is_truth(b, false) || is_truth(a, true) ? b : BoxForm();
}

BoxForm disjunction(const BoxForm& a, const BoxForm& b) {
  if (is_truth(a, true)) return a;
  return is_truth(b, true) || is_truth(a, false) ? b : BoxForm();
}

BoxForm choice(const BoxForm& condition, const BoxForm& a, const BoxForm& b) {
  if (!condition.is_known()) return {};
  return condition.constant != 0 ? a : b;
}

}  // namespace selvage
