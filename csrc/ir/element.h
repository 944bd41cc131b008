// Index notation: the right side of an equation over indices, made of elements of tensors.
//   const Expr b = f.fresh_index("b"), k = f.fresh_index("k"), i = f.fresh_index("i");
//   f.compute("y", {b, k, i}, x.shape(), x(b, k, i) + x(b, 1 - k, i))
#pragma once

#include <selvage/ir/fusion.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace selvage {

// A term of index notation: an element of a tensor at subscripts, an index or a condition on
// indices as a value, a number (which takes the type of what it meets), or a function of such
// terms. A term that has an element of a tensor belongs to the tensor's fusion and is valid as long
// as that lives.
class Element {
 public:
  template <std::integral Number>
  Element(Number n) : value_(std::int64_t(n)) {}
  template <std::floating_point Number>
  Element(Number n) : value_(double(n)) {}
  Element(Expr index) : value_(index) {}
  Element(Fusion& fusion, ValueId value) : fusion_(&fusion), value_(value) {}

  // Null if the term consists of numbers and indices alone.
  Fusion* fusion() const { return fusion_; }
  // The term as a value of `fusion`; BadInput E508 if it belongs to another one.
  ValueId in(Fusion& fusion) const;

 private:
  Fusion* fusion_ = nullptr;
  std::variant<ValueId, std::int64_t, double, Expr> value_;
};

// read: an element of t; the read has to be proved in bounds. read_or: the same, but the value is
// `outside` where a subscript is out of bounds, so nothing has to be proved.
Element read(Tensor t, std::vector<Expr> subscripts);
Element read_or(Tensor t, std::vector<Expr> subscripts, const Element& outside);

// A function of elements, typed as on tensors (ir/ops.h). Refused (BadInput): E506 a literal that
// does not fit the type it meets, E508 elements of two fusions, or of none.
Element apply(Function f, const std::vector<Element>& operands);
Element cast(const Element& a, DataType type);
// a, whose outermost function is computed fast where it has a fast form (ir/fast_math.h).
Element fast(const Element& a);
// `value`; in a fusion that is checked, kernels record where the condition is false, with the
// message (ir/value_check.h).
Element asserted(const Element& value, const Element& condition, const std::string& message);
Element select(const Element& condition, const Element& a, const Element& b);
Element operator+(const Element& a, const Element& b);
Element operator-(const Element& a, const Element& b);
Element operator*(const Element& a, const Element& b);
Element operator/(const Element& a, const Element& b);
Element operator%(const Element& a, const Element& b);
Element operator-(const Element& a);
Element operator==(const Element& a, const Element& b);
Element operator!=(const Element& a, const Element& b);
Element operator<(const Element& a, const Element& b);
Element operator<=(const Element& a, const Element& b);
Element operator>(const Element& a, const Element& b);
Element operator>=(const Element& a, const Element& b);
Element operator&&(const Element& a, const Element& b);
Element operator||(const Element& a, const Element& b);
Element operator!(const Element& a);

class Subscript;
Element gather(Tensor t, const std::vector<Subscript>& subscripts);  // ir/gather.h

// x(b, 1 - k, 0): one subscript for each axis (E503), an expression of indices and sizes or a
// number; or, with ir/gather.h, an element: x(clamped(idx(b)), k).
template <class... At>
Element Tensor::operator()(At... subscripts) const {
  constexpr bool is_read = (... && (std::is_integral_v<At> || std::is_same_v<At, Expr>));
  if constexpr (is_read) {
    const auto expression = [&](auto s) {
      if constexpr (std::is_integral_v<decltype(s)>) {
        return fusion().constant(std::int64_t(s));
      } else {
        return s;
      }
    };
    return read(*this, {expression(subscripts)...});
  } else {
    return gather(*this, std::vector<Subscript>{Subscript(subscripts)...});
  }
}

}  // namespace selvage
