#include <selvage/kernel/value_nodes.h>

#include <algorithm>

namespace selvage {

// Operands come before their users, so one walk down from the root meets every user first.
std::vector<ValueId> nodes_of(const ValueGraph& values, ValueId root) {
  std::vector<ValueId> nodes;
  nodes.reserve(16);
  std::vector<bool> wanted(std::size_t(root) + 1);
  wanted[std::size_t(root)] = true;
  std::size_t open = 1;
  for (std::size_t v = std::size_t(root) + 1; open > 0 && v-- > 0;) {
    if (!wanted[v]) continue;
    --open;
    nodes.push_back(ValueId(v));
    for (ValueId operand : values[ValueId(v)].operands) {
      if (!wanted[std::size_t(operand)]) ++open;
      wanted[std::size_t(operand)] = true;
    }
  }
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

std::vector<Expr> index_expressions(const ValueNode& node) {
  switch (node.kind) {
    case ValueNode::Kind::Index: return {node.index};
    case ValueNode::Kind::Read: return node.subscripts;
    case ValueNode::Kind::Constant:
    case ValueNode::Kind::Apply:
    case ValueNode::Kind::Cast: return {};
  }
  return {};
}

}  // namespace selvage
