#include <selvage/kernel/value_nodes.h>

namespace selvage {

std::span<const Expr> index_expressions(const ValueNode& node) {
  switch (node.kind) {
    case ValueNode::Kind::Index: return {&node.index, 1};
    case ValueNode::Kind::Read: return node.subscripts;
    case ValueNode::Kind::Constant:
    case ValueNode::Kind::Apply:
    case ValueNode::Kind::Cast: return {};
  }
  return {};
}

}  // namespace selvage
