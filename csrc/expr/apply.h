#pragma once

#include <selvage/base/integer.h>
#include <selvage/expr/expr.h>

#include <algorithm>

namespace selvage {

// What the operators of expressions mean, said once for every algebra in which expressions are
// evaluated: integers, intervals, congruences, combinations of bits. An algebra is a type with the
// operators + - * / % ^, with min, max, choice(condition, a, b), and with the truths below, which
// give 0 or 1. Its default value says that nothing is known; that is also what a function gives
// that the algebra lacks.
namespace unknown {
template <class V>
V operator^(const V&, const V&) {
  return {};
}
template <class V>
V min(const V&, const V&) {
  return {};
}
template <class V>
V max(const V&, const V&) {
  return {};
}
template <class V>
V choice(const V&, const V&, const V&) {
  return {};
}
template <class V>
V less(const V&, const V&) {
  return {};
}
template <class V>
V less_or_equal(const V&, const V&) {
  return {};
}
template <class V>
V equal(const V&, const V&) {
  return {};
}
template <class V>
V negation(const V&) {
  return {};
}
template <class V>
V conjunction(const V&, const V&) {
  return {};
}
template <class V>
V disjunction(const V&, const V&) {
  return {};
}
}  // namespace unknown

// Calls `f` with the operator as a function of three operands of any algebra; an operator with
// fewer operands ignores the last of them. An operator without a meaning of its own (a constant, a
// symbol, a load, a call) gives the default value.
template <class F>
[[gnu::always_inline]] inline decltype(auto) with_operator(Op op, F f) {
  using namespace unknown;
  switch (op) {
    case Op::Let: return f([](const auto& a, const auto&, const auto&) { return a; });
    case Op::Add: return f([](const auto& a, const auto& b, const auto&) { return a + b; });
    case Op::Sub: return f([](const auto& a, const auto& b, const auto&) { return a - b; });
    case Op::Mul: return f([](const auto& a, const auto& b, const auto&) { return a * b; });
    case Op::Div: return f([](const auto& a, const auto& b, const auto&) { return a / b; });
    case Op::Mod: return f([](const auto& a, const auto& b, const auto&) { return a % b; });
    case Op::Min: return f([](const auto& a, const auto& b, const auto&) { return min(a, b); });
    case Op::Max: return f([](const auto& a, const auto& b, const auto&) { return max(a, b); });
    case Op::Xor: return f([](const auto& a, const auto& b, const auto&) { return a ^ b; });
    case Op::Select:
      return f([](const auto& a, const auto& b, const auto& c) { return choice(a, b, c); });
    case Op::Lt: return f([](const auto& a, const auto& b, const auto&) { return less(a, b); });
    case Op::Le:
      return f([](const auto& a, const auto& b, const auto&) { return less_or_equal(a, b); });
    case Op::Eq: return f([](const auto& a, const auto& b, const auto&) { return equal(a, b); });
    case Op::Not: return f([](const auto& a, const auto&, const auto&) { return negation(a); });
    case Op::And:
      return f([](const auto& a, const auto& b, const auto&) { return conjunction(a, b); });
    case Op::Or:
      return f([](const auto& a, const auto& b, const auto&) { return disjunction(a, b); });
    case Op::Const:
    case Op::Bool:
    case Op::Symbol:
    case Op::Load:
    case Op::Call: break;
  }
  return f([](const auto& a, const auto&, const auto&) { return std::decay_t<decltype(a)>(); });
}

template <class Value>
[[gnu::always_inline]] inline Value apply(Op op, const Value& a, const Value& b = {},
                                          const Value& c = {}) {
  return with_operator(op, [&](auto f) { return f(a, b, c); });
}

// Integers of 64 bits: undefined where a result does not fit, and where a divisor is 0. All
// operands of an operator must be defined.
struct Checked {
  std::int64_t value = 0;
  bool is_defined = false;

  Checked() = default;
  explicit Checked(std::int64_t v) : value(v), is_defined(true) {}
  explicit Checked(std::optional<std::int64_t> v) : value(v.value_or(0)), is_defined(v) {}
};

inline Checked operator+(Checked a, Checked b) { return Checked(checked_add(a.value, b.value)); }
inline Checked operator-(Checked a, Checked b) { return Checked(checked_sub(a.value, b.value)); }
inline Checked operator*(Checked a, Checked b) { return Checked(checked_mul(a.value, b.value)); }
inline Checked operator/(Checked a, Checked b) { return Checked(euclid_div(a.value, b.value)); }
inline Checked operator%(Checked a, Checked b) { return Checked(euclid_mod(a.value, b.value)); }
inline Checked operator^(Checked a, Checked b) { return Checked(a.value ^ b.value); }
inline Checked min(Checked a, Checked b) { return Checked(std::min(a.value, b.value)); }
inline Checked max(Checked a, Checked b) { return Checked(std::max(a.value, b.value)); }
inline Checked truth(bool v) { return Checked(std::int64_t(v)); }
inline Checked less(Checked a, Checked b) { return truth(a.value < b.value); }
inline Checked less_or_equal(Checked a, Checked b) { return truth(a.value <= b.value); }
inline Checked equal(Checked a, Checked b) { return truth(a.value == b.value); }
inline Checked negation(Checked a) { return truth(a.value == 0); }
inline Checked conjunction(Checked a, Checked b) { return truth((a.value != 0) & (b.value != 0)); }
inline Checked disjunction(Checked a, Checked b) { return truth((a.value != 0) | (b.value != 0)); }
inline Checked choice(Checked condition, Checked a, Checked b) {
  return condition.value != 0 ? a : b;
}

}  // namespace selvage
