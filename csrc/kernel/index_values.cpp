#include <selvage/kernel/index_values.h>

namespace selvage {

namespace {

// Values as integer expressions, where they are made of indices alone.
class IndexValues {
 public:
  explicit IndexValues(const Kernel& kernel) : kernel_(kernel) {}

  std::optional<Expr> condition(ValueId v) {
    const ValueNode& node = kernel_.values[v];
    const auto is_index_cast = [&] {
      return node.kind == ValueNode::Kind::Cast && node.type == DataType::Bool;
    };
    if (is_index_cast()) return condition(node.operands[0]);
    if (node.kind == ValueNode::Kind::Apply) {
      const Function f = node.function;
      if (f == Function::And) return both(node, [](Expr a, Expr b) { return a && b; });
      if (f == Function::Or) return both(node, [](Expr a, Expr b) { return a || b; });
      if (f == Function::Lt) return compare(node, [](Expr a, Expr b) { return a < b; });
      if (f == Function::Le) return compare(node, [](Expr a, Expr b) { return a <= b; });
      if (f == Function::Eq) return compare(node, [](Expr a, Expr b) { return eq(a, b); });
      if (f == Function::Ne) return compare(node, [](Expr a, Expr b) { return !eq(a, b); });
      const auto a = f == Function::Not ? condition(node.operands[0]) : std::nullopt;
      return a ? std::optional(!*a) : std::nullopt;
    }
    const auto number = integer(v);
    if (!number) return std::nullopt;
    if (info(number->op()).result == Result::Truth) return number;
    return !eq(*number, 0);
  }

 private:
  template <class F>
  std::optional<Expr> both(const ValueNode& node, F f) {
    const auto a = condition(node.operands[0]), b = condition(node.operands[1]);
    return a && b ? std::optional(f(*a, *b)) : std::nullopt;
  }
  template <class F>
  std::optional<Expr> compare(const ValueNode& node, F f) {
    const auto a = integer(node.operands[0]), b = integer(node.operands[1]);
    const auto is_number = [](const std::optional<Expr>& e) {
      return e && info(e->op()).result == Result::Int;
    };
    return is_number(a) && is_number(b) ? std::optional(f(*a, *b)) : std::nullopt;
  }
  std::optional<Expr> integer(ValueId v) {
    const ValueNode& node = kernel_.values[v];
    switch (node.kind) {
      case ValueNode::Kind::Index: return node.index;
      case ValueNode::Kind::Constant:
        if (node.type == DataType::Bool) return kernel_.pool->truth(node.integer != 0);
        if (is_integer(node.type)) return kernel_.pool->constant(node.integer);
        return std::nullopt;
      case ValueNode::Kind::Cast:
        return node.type == DataType::Int64 ? integer(node.operands[0]) : std::nullopt;
      case ValueNode::Kind::Read:
      case ValueNode::Kind::Apply:
      case ValueNode::Kind::Check:
      case ValueNode::Kind::Search: return std::nullopt;
    }
    return std::nullopt;
  }

  const Kernel& kernel_;
};

}  // namespace

std::optional<Expr> index_condition(const Kernel& kernel, ValueId v) {
  return IndexValues(kernel).condition(v);
}

}  // namespace selvage
