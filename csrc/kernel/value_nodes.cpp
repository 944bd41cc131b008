#include <selvage/kernel/value_nodes.h>

#include <set>

namespace selvage {

std::span<const Expr> index_expressions(const ValueNode& node) {
  switch (node.kind) {
    case ValueNode::Kind::Index: return {&node.index, 1};
    case ValueNode::Kind::Read:
    case ValueNode::Kind::Search: return node.subscripts;
    case ValueNode::Kind::Constant:
    case ValueNode::Kind::Apply:
    case ValueNode::Kind::Cast:
    case ValueNode::Kind::Check: return {};
  }
  return {};
}

std::vector<std::string_view> fast_functions(const ValueGraph& values) {
  std::set<Function> found;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[ValueId(k)].math == Math::Fast) found.insert(values[ValueId(k)].function);
  }
  std::vector<std::string_view> names;
  for (Function f : found) names.push_back(info(f).text);
  return names;
}

}  // namespace selvage
