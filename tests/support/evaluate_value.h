// The value of a node of a ValueGraph that reads nothing.
#pragma once

#include <selvage/ir/value.h>

#include <unordered_map>
#include <vector>

namespace selvage {

class ValueEvaluator {
 public:
  explicit ValueEvaluator(const ValueGraph& values) : values_(values) {}

  Scalar operator()(ValueId v) {
    if (const auto it = known_.find(v); it != known_.end()) return it->second;
    const ValueNode& n = values_[v];
    std::vector<Scalar> operands;
    for (ValueId operand : n.operands) operands.push_back((*this)(operand));
    Scalar result;
    switch (n.kind) {
      case ValueNode::Kind::Constant: result = value_of(n); break;
      case ValueNode::Kind::Index: result = Scalar::of(DataType::Int64, n.index.value()); break;
      case ValueNode::Kind::Apply:
        result = selvage::apply(n.function, std::span<const Scalar>(operands));
        break;
      case ValueNode::Kind::Cast: result = convert(operands[0], n.type); break;
      case ValueNode::Kind::Check: result = operands[1]; break;
      case ValueNode::Kind::Search:
      case ValueNode::Kind::Read: throw "an element is read";
    }
    return known_[v] = result;
  }

 private:
  const ValueGraph& values_;
  std::unordered_map<ValueId, Scalar> known_;
};

}  // namespace selvage
