#include <selvage/frontend/readers.h>
#include <selvage/frontend/statement_checks.h>
#include <selvage/ir/gather.h>

#include <utility>

namespace selvage {

ValueId StatementChecks::checked(ValueCheck check, std::uint32_t node, ValueId condition,
                                 ValueId value, std::optional<ValueId> shown) const {
  check.computed = formula_.target;
  check.place = place_in(text_, formula_.nodes[node].at);
  return fusion_.check(std::move(check), condition, value, shown);
}

ValueId StatementChecks::of_assertion(std::uint32_t node, ValueId condition) const {
  if (!formula_.assertion) return condition;
  const ValueCheck check{.kind = ValueCheck::Kind::Assertion,
                         .computed = {},
                         .text = formula_.assertion->condition,
                         .message = formula_.assertion->message};
  const ValueId truth = fusion_.values().cast(condition, DataType::Bool);
  return checked(check, node, truth, truth, {});
}

ValueId StatementChecks::of_division(std::uint32_t node, ValueId divisor, ValueId result) const {
  ValueGraph& values = fusion_.values();
  const Function f = formula_.nodes[node].function;
  const bool divides = f == Function::FloorDiv || f == Function::Mod;
  if (!fusion_.is_checked() || !divides || is_floating(values[result].type)) return result;
  const ValueNode by = values[divisor];
  if (by.kind == ValueNode::Kind::Constant && by.integer != 0) return result;
  const ValueId none = values.constant(by.type, std::int64_t{0}, true);
  const ValueCheck check{
      .kind = ValueCheck::Kind::Divisor, .computed = {}, .text = std::string(info(f).text)};
  return checked(check, node, values.apply(Function::Ne, {divisor, none}), result, {});
}

ValueId StatementChecks::of_subscript(std::uint32_t node, TensorId source, std::size_t axis,
                                      ValueId at, ValueId otherwise) const {
  return checked(inside_check(fusion_, source, axis, at), node,
                 is_subscript_inside(fusion_, source, axis, at), otherwise, at);
}

}  // namespace selvage
