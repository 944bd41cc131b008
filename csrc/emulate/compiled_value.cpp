#include <selvage/emulate/compiled_value.h>

#include <array>
#include <span>

namespace selvage {

Scalar ValueMachine::compute(CompiledStatement& s, CheckedMemory& memory, std::uint32_t at) {
  Operation& op = s.operations[at];
  if (op.kind == ValueNode::Kind::Constant || op.stamp == stamp_) return op.value;
  switch (op.kind) {
    case ValueNode::Kind::Constant: break;
    case ValueNode::Kind::Index: op.value = Scalar::of(op.type, s.indices[op.index]); break;
    case ValueNode::Kind::Read: op.value = memory.read(op.source, s.indices[op.index]); break;
    case ValueNode::Kind::Cast:
      op.value = convert(compute(s, memory, op.operands[0]), op.type);
      break;
    case ValueNode::Kind::Apply: op.value = apply(s, memory, op); break;
  }
  op.stamp = stamp_;
  return op.value;
}

// A select asks for one branch only, as C does.
Scalar ValueMachine::apply(CompiledStatement& s, CheckedMemory& memory, const Operation& op) {
  if (op.function == Function::Select) {
    const bool first = compute(s, memory, op.operands[0]).integer != 0;
    return compute(s, memory, op.operands[first ? 1 : 2]);
  }
  std::array<Scalar, 3> operands{};
  const auto arity = std::size_t(info(op.function).arity);
  for (std::size_t i = 0; i < arity; ++i) operands[i] = compute(s, memory, op.operands[i]);
  return selvage::apply(op.function, std::span(operands.data(), arity));
}

}  // namespace selvage
