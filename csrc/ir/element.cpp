#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/ir/element.h>
#include <selvage/ir/op_shapes.h>

#include <string>

namespace selvage {

ValueId Element::in(Fusion& fusion) const {
  if (const auto* value = std::get_if<ValueId>(&value_)) {
    if (fusion_ == &fusion) return *value;
    refuse<BadInput>("E508", "an element of another fusion than the one that computes with it",
                     "read tensors of one fusion");
  }
  if (const auto* n = std::get_if<std::int64_t>(&value_)) return literal(fusion.values(), *n);
  if (const auto* x = std::get_if<double>(&value_)) return literal(fusion.values(), *x);
  return fusion.values().index(std::get<Expr>(value_));
}

Tensor Fusion::compute(const std::string& name, std::vector<Expr> indices, std::vector<Expr> shape,
                       const Element& value, std::optional<DataType> type) {
  return compute(name, std::move(indices), std::move(shape), value.in(*this), type);
}

Tensor Fusion::compute_fold(const std::string& name, std::vector<Expr> indices,
                            std::vector<Expr> shape, FoldRequest fold, const Element& value,
                            std::optional<DataType> type) {
  return compute_fold(name, std::move(indices), std::move(shape), std::move(fold), value.in(*this),
                      type);
}

Element read(Tensor t, std::vector<Expr> subscripts) {
  return {t.fusion(), element_of(t, std::move(subscripts))};
}

Element read_or(Tensor t, std::vector<Expr> subscripts, const Element& outside) {
  Fusion& f = t.fusion();
  return {f, f.values().read_or(f[t.id()].type, std::uint32_t(t.id()), std::move(subscripts),
                                outside.in(f))};
}

Element apply(Function function, const std::vector<Element>& operands) {
  SELVAGE_CHECK(operands.size() == std::size_t(info(function).arity));
  Fusion* fusion = nullptr;
  for (const Element& e : operands) {
    if (fusion == nullptr) fusion = e.fusion();
  }
  if (fusion == nullptr) {
    refuse<BadInput>("E508",
                     std::string(info(function).text) + ": no operand is an element of a tensor",
                     "read at least one tensor; or write an expression of indices");
  }
  std::vector<ValueId> values;
  for (const Element& e : operands) values.push_back(e.in(*fusion));
  return {*fusion, fusion->values().apply(function, std::move(values))};
}

Element asserted(const Element& value, const Element& condition, const std::string& message) {
  Fusion* const fusion = value.fusion() != nullptr ? value.fusion() : condition.fusion();
  if (fusion == nullptr) {
    refuse<BadInput>("E508", "asserted: neither operand is an element of a tensor",
                     "assert something of an element of a tensor");
  }
  const ValueCheck check{.kind = ValueCheck::Kind::Assertion, .computed = {}, .message = message};
  return {*fusion, fusion->check(check, condition.in(*fusion), value.in(*fusion))};
}

Element cast(const Element& a, DataType type) {
  if (a.fusion() == nullptr) {
    refuse<BadInput>("E508", "cast: the operand is no element of a tensor",
                     "write the number in the type that it is to have");
  }
  return {*a.fusion(), a.fusion()->values().cast(a.in(*a.fusion()), type)};
}

Element fast(const Element& a) {
  if (a.fusion() == nullptr) {
    refuse<BadInput>("E508", "fast: the operand is no element of a tensor",
                     "apply it to a function of elements, such as exp(x(i))");
  }
  a.fusion()->values().make_fast(a.in(*a.fusion()));
  return a;
}

Element select(const Element& condition, const Element& a, const Element& b) {
  return apply(Function::Select, {condition, a, b});
}
Element operator+(const Element& a, const Element& b) { return apply(Function::Add, {a, b}); }
Element operator-(const Element& a, const Element& b) { return apply(Function::Sub, {a, b}); }
Element operator*(const Element& a, const Element& b) { return apply(Function::Mul, {a, b}); }
Element operator/(const Element& a, const Element& b) { return apply(Function::TrueDiv, {a, b}); }
Element operator%(const Element& a, const Element& b) { return apply(Function::Mod, {a, b}); }
Element operator-(const Element& a) { return apply(Function::Neg, {a}); }
Element operator==(const Element& a, const Element& b) { return apply(Function::Eq, {a, b}); }
Element operator!=(const Element& a, const Element& b) { return apply(Function::Ne, {a, b}); }
Element operator<(const Element& a, const Element& b) { return apply(Function::Lt, {a, b}); }
Element operator<=(const Element& a, const Element& b) { return apply(Function::Le, {a, b}); }
Element operator>(const Element& a, const Element& b) { return b < a; }
Element operator>=(const Element& a, const Element& b) { return b <= a; }
Element operator&&(const Element& a, const Element& b) { return apply(Function::And, {a, b}); }
Element operator||(const Element& a, const Element& b) { return apply(Function::Or, {a, b}); }
Element operator!(const Element& a) { return apply(Function::Not, {a}); }

}  // namespace selvage
