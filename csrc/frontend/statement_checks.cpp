#include <selvage/expr/text.h>
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

ValueCheck StatementChecks::inside(TensorId source, std::size_t axis, std::string text) const {
  return {.kind = ValueCheck::Kind::Inside,
          .computed = {},
          .read = fusion_[source].name,
          .axis = axis,
          .extent = fusion_.shape(source)[axis],
          .text = std::move(text)};
}

ValueId StatementChecks::of_subscript(std::uint32_t node, TensorId source, std::size_t axis,
                                      Expr subscript, ValueId element) const {
  ValueGraph& values = fusion_.values();
  const ValueCheck check = inside(source, axis, to_string(subscript));
  const ValueId holds = values.index(0 <= subscript && subscript < check.extent);
  return checked(check, node, holds, element, values.index(subscript));
}

ValueId StatementChecks::of_load(std::uint32_t node, TensorId source, std::size_t axis,
                                 ValueId load, ValueId element) const {
  ValueGraph& values = fusion_.values();
  const ValueCheck check = inside(source, axis, "a load");
  const ValueId at = values.cast(load, DataType::Int64);
  return checked(check, node, is_inside(values, at, check.extent), element, at);
}

}  // namespace selvage
