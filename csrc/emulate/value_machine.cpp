#include <selvage/emulate/value_machine.h>

#include <array>
#include <span>

namespace selvage {

Scalar ValueMachine::value(CompiledStatement& store, CheckedMemory& memory) {
  ++stamp_;
  return compute(store, memory, std::uint32_t(store.operations.size() - 1));
}

Scalar ValueMachine::compute(CompiledStatement& s, CheckedMemory& memory, std::uint32_t at) {
  Operation& op = s.operations[at];
  if (op.kind == ValueNode::Kind::Constant || op.stamp == stamp_) return op.value;
  switch (op.kind) {
    case ValueNode::Kind::Constant: break;
    case ValueNode::Kind::Index: op.value = Scalar::of(op.type, s.indices[op.index]); break;
    case ValueNode::Kind::Read:
      if (requests_ != nullptr) {
        requests_->access(at, AccessKind::Read, op.source, s.indices[op.index], 1);
      }
      op.value = memory.read(op.source, s.indices[op.index]);
      break;
    case ValueNode::Kind::Cast:
      op.value = convert(compute(s, memory, op.operands[0]), op.type);
      break;
    case ValueNode::Kind::Apply: op.value = apply(s, memory, op); break;
    case ValueNode::Kind::Search: {
      const std::int64_t position = compute(s, memory, op.operands[0]).integer;
      op.value = Scalar::of(DataType::Int64, search(s, memory, at, position));
      break;
    }
    case ValueNode::Kind::Check: {
      const bool holds = compute(s, memory, op.operands[0]).integer != 0;
      op.value = compute(s, memory, op.operands[1]);
      const std::int64_t shown = compute(s, memory, op.operands[2]).integer;
      const std::int64_t point = compute(s, memory, op.operands[3]).integer;
      if (!holds) failed_(op.source, point, shown);
      break;
    }
  }
  op.stamp = stamp_;
  return op.value;
}

// The steps of the helper that kernels call (codegen/helpers.cpp).
std::int64_t ValueMachine::search(const CompiledStatement& s, CheckedMemory& memory,
                                  std::uint32_t at, std::int64_t position) {
  const Operation& op = s.operations[at];
  std::int64_t first = s.indices[op.index], last = s.indices[op.index + 1];
  while (first < last) {
    const std::int64_t middle = last - (last - first) / 2;
    if (requests_ != nullptr) requests_->access(at, AccessKind::Read, op.source, middle, 1);
    if (memory.read(op.source, middle).integer <= position - op.added * middle) {
      first = middle;
    } else {
      last = middle - 1;
    }
  }
  return first;
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
