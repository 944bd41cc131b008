#include <selvage/ir/rounding.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr int kDeepest = 32;  // longest chain of operations and copies that is followed

// Whether a function returns one of its operands, or that with another sign. The result of any
// other may lie between two numbers of the type.
bool picks(Function f) {
  return f == Function::Min || f == Function::Max || f == Function::FMin || f == Function::FMax ||
         f == Function::Select || f == Function::Neg || f == Function::Abs || f == Function::Relu;
}

bool same_bits(const Scalar& a, const Scalar& b) {
  return a.single == b.single || (a.single != a.single && b.single != b.single);
}

// Whether v is proved to be a number of the type.
bool is_exact(const Fusion& fusion, ValueId v, DataType type, int depth) {
  if (depth == 0) return false;
  const ValueNode& node = fusion.values()[v];
  // Of all operands but the first ones.
  const auto all_exact = [&](std::size_t first) {
    return std::all_of(node.operands.begin() + std::ptrdiff_t(first), node.operands.end(),
                       [&](ValueId o) { return is_exact(fusion, o, type, depth - 1); });
  };
  switch (node.kind) {
    case ValueNode::Kind::Constant: {
      const Scalar own = value_of(node);
      return own.type == DataType::Float && same_bits(convert(own, type), own);
    }
    case ValueNode::Kind::Index: return false;
    case ValueNode::Kind::Read: {
      const TensorInfo& source = fusion[TensorId(node.source)];
      if (source.type != type || !all_exact(node.loaded.size())) return false;
      if (source.is_input) return true;
      return !source.fold && is_exact(fusion, *source.definition, type, depth - 1);
    }
    case ValueNode::Kind::Apply:
      return picks(node.function) && all_exact(node.function == Function::Select ? 1 : 0);
    case ValueNode::Kind::Cast: return node.type == type;
    case ValueNode::Kind::Search: return false;
    case ValueNode::Kind::Check: return is_exact(fusion, node.operands[1], type, depth - 1);
  }
  return false;
}

}  // namespace

bool changes_when_stored(const Fusion& fusion, TensorId t) {
  const TensorInfo& tensor = fusion[t];
  const DataType stored = said_type(tensor);
  if (compute_type(stored) != compute_type(tensor.type)) return true;
  if (is_narrow_integer(stored)) return promote(tensor.type, false, stored, false) != stored;
  if (!is_floating(stored) || compute_type(stored) == stored) return false;
  return tensor.fold || !is_exact(fusion, *tensor.definition, stored, kDeepest);
}

}  // namespace selvage
