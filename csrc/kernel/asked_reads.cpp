#include <selvage/expr/conjuncts.h>
#include <selvage/kernel/asked_reads.h>
#include <selvage/kernel/index_values.h>
#include <selvage/kernel/value_nodes.h>

#include <algorithm>
#include <optional>

namespace selvage {

namespace {

Asked under(Asked outer, const std::optional<Expr>& condition) {
  if (!condition) return {outer.condition, true};
  outer.condition = outer.condition.valid() ? outer.condition && *condition : *condition;
  return outer;
}

}  // namespace

// From the value down to what it is made of.
std::vector<std::pair<ValueId, Asked>> asked_reads(const Kernel& kernel, ValueId value,
                                                   const std::function<bool(BufferId)>& is_listed) {
  const ValueGraph& values = kernel.values;
  const std::vector<ValueId> nodes = values_under(values, value);
  const auto is_read = [&](ValueId v) {
    const ValueNode::Kind kind = values[v].kind;
    return (kind == ValueNode::Kind::Read || kind == ValueNode::Kind::Search) &&
           is_listed(values[v].source);
  };
  if (std::ranges::none_of(nodes, is_read)) return {};
  std::vector<std::optional<Asked>> asked(nodes.size());
  asked.back() = Asked{};
  const auto ask = [&](ValueId v, const Asked& a) {
    std::optional<Asked>& before =
        asked[std::size_t(std::ranges::lower_bound(nodes, v) - nodes.begin())];
    if (!before) {
      before = a;
      return;
    }
    Asked& known = *before;
    if (!known.condition.valid() || !a.condition.valid()) {
      const bool always = (!known.condition.valid() && !known.depends_on_data) ||
                          (!a.condition.valid() && !a.depends_on_data);
      known = {{}, !always && (known.depends_on_data || a.depends_on_data)};
    } else {
      known.condition = either(known.condition, a.condition);
      known.depends_on_data = known.depends_on_data || a.depends_on_data;
    }
  };
  std::vector<std::pair<ValueId, Asked>> reads;
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const ValueNode& node = values[nodes[i]];
    const Asked own = *asked[i];
    if (is_read(nodes[i])) reads.emplace_back(nodes[i], own);
    if (node.kind == ValueNode::Kind::Apply && node.function == Function::Select) {
      ask(node.operands[0], own);
      const auto condition = index_condition(kernel, node.operands[0]);
      ask(node.operands[1], under(own, condition));
      ask(node.operands[2], under(own, condition ? std::optional(!*condition) : condition));
    } else {
      for (ValueId o : node.operands) ask(o, own);
    }
  }
  std::reverse(reads.begin(), reads.end());
  return reads;
}

}  // namespace selvage
