#include <selvage/kernel/value_nodes.h>

#include <algorithm>
#include <unordered_set>

namespace selvage {

std::vector<ValueId> nodes_of(const ValueGraph& values, ValueId root) {
  std::vector<ValueId> nodes = {root};
  std::unordered_set<std::uint32_t> seen = {std::uint32_t(root)};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (ValueId operand : values[nodes[i]].operands) {
      if (seen.insert(std::uint32_t(operand)).second) nodes.push_back(operand);
    }
  }
  std::sort(nodes.begin(), nodes.end());
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
