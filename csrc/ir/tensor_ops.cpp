// Pointwise operations on tensors: index notation, written for the user.
#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/text.h>
#include <selvage/ir/fusion.h>

#include <algorithm>

namespace selvage {

namespace {

std::string to_text(const std::vector<Expr>& shape) {
  std::string text;
  for (Expr n : shape) text += (text.empty() ? "" : ", ") + to_string(n);
  return "[" + text + "]";
}

Fusion& fusion_of(const std::vector<Operand>& operands) {
  Fusion* fusion = nullptr;
  for (const Operand& o : operands) {
    const Tensor* t = std::get_if<Tensor>(&o.value());
    if (t == nullptr) continue;
    if (fusion != nullptr && fusion != &t->fusion()) {
      refuse<BadInput>("E508",
                       "the operands " +
                           (*fusion)[std::get<Tensor>(operands[0].value()).id()].name + " and " +
                           t->fusion()[t->id()].name + " belong to two fusions",
                       "build both from the inputs of one");
    }
    fusion = &t->fusion();
  }
  SELVAGE_CHECK(fusion != nullptr);
  return *fusion;
}

std::vector<Expr> fresh_indices(Fusion& f, std::size_t rank) {
  std::vector<Expr> indices;
  for (std::size_t k = 0; k < rank; ++k) indices.push_back(f.fresh_index("i" + std::to_string(k)));
  return indices;
}

// The shape that tensors have in common, aligned at their last axes.
std::vector<Expr> broadcast(const Fusion& f, const std::vector<TensorId>& tensors) {
  std::vector<Expr> common;
  std::vector<TensorId> from;  // whose extent each axis of `common` has
  for (TensorId t : tensors) {
    const std::vector<Expr> shape = f.shape(t);
    if (shape.size() > common.size()) {
      const std::size_t more = shape.size() - common.size();
      common.insert(common.begin(), shape.begin(), shape.begin() + std::ptrdiff_t(more));
      from.insert(from.begin(), more, t);
    }
    const std::size_t skipped = common.size() - shape.size();
    for (std::size_t k = 0; k < shape.size(); ++k) {
      Expr& n = common[skipped + k];
      if (n.is_const(1)) {
        n = shape[k];
        from[skipped + k] = t;
      } else if (n.is(Op::Const) && shape[k].is(Op::Const) && !shape[k].is_const(1) &&
                 !same(n, shape[k])) {
        const TensorId other = from[skipped + k];
        refuse<BadInput>(
            "E501",
            "the shapes " + to_text(f.shape(other)) + " of " + f[other].name + " and " +
                to_text(shape) + " of " + f[t].name + " do not broadcast: " + to_string(n) +
                " and " + to_string(shape[k]) + " differ",
            "make the extents equal, or one of them 1; axes are aligned at the last one");
      }
    }
  }
  return common;
}

ValueId read_broadcast(Fusion& f, TensorId t, const std::vector<Expr>& indices,
                       const std::vector<Expr>& common) {
  const std::vector<Expr> shape = f.shape(t);
  const std::size_t skipped = common.size() - shape.size();
  std::vector<Expr> subscripts;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const bool repeated = shape[k].is_const(1) && !common[skipped + k].is_const(1);
    subscripts.push_back(repeated ? f.constant(0) : indices[skipped + k]);
  }
  return f.values().read(f[t].type, std::uint32_t(t), std::move(subscripts));
}

}  // namespace

Tensor apply(Function function, std::vector<Operand> operands) {
  SELVAGE_CHECK(operands.size() == std::size_t(info(function).arity));
  Fusion& f = fusion_of(operands);
  std::vector<TensorId> tensors;
  for (const Operand& o : operands) {
    if (const auto* t = std::get_if<Tensor>(&o.value())) tensors.push_back(t->id());
  }
  const std::vector<Expr> shape = broadcast(f, tensors);
  const std::vector<Expr> indices = fresh_indices(f, shape.size());
  ValueGraph& values = f.values();
  std::vector<ValueId> elements;
  for (const Operand& o : operands) {
    if (const auto* t = std::get_if<Tensor>(&o.value())) {
      elements.push_back(read_broadcast(f, t->id(), indices, shape));
    } else if (const auto* n = std::get_if<std::int64_t>(&o.value())) {
      const bool is_narrow = std::int32_t(*n) == *n;
      elements.push_back(values.constant(is_narrow ? DataType::Int32 : DataType::Int64, *n, true));
    } else {
      elements.push_back(values.constant(DataType::Float, std::get<double>(o.value()), true));
    }
  }
  return f.compute("", indices, shape, values.apply(function, std::move(elements)));
}

Tensor operator+(Operand a, Operand b) { return apply(Function::Add, {a, b}); }
Tensor operator-(Operand a, Operand b) { return apply(Function::Sub, {a, b}); }
Tensor operator*(Operand a, Operand b) { return apply(Function::Mul, {a, b}); }
Tensor operator/(Operand a, Operand b) { return apply(Function::TrueDiv, {a, b}); }
Tensor operator-(Tensor a) { return apply(Function::Neg, {a}); }
Tensor operator<(Operand a, Operand b) { return apply(Function::Lt, {a, b}); }
Tensor operator<=(Operand a, Operand b) { return apply(Function::Le, {a, b}); }
Tensor operator>(Operand a, Operand b) { return b < a; }
Tensor operator>=(Operand a, Operand b) { return b <= a; }
Tensor min(Operand a, Operand b) { return apply(Function::Min, {a, b}); }
Tensor max(Operand a, Operand b) { return apply(Function::Max, {a, b}); }
Tensor abs(Tensor a) { return apply(Function::Abs, {a}); }
Tensor exp(Tensor a) { return apply(Function::Exp, {a}); }
Tensor log(Tensor a) { return apply(Function::Log, {a}); }
Tensor tanh(Tensor a) { return apply(Function::Tanh, {a}); }
Tensor sqrt(Tensor a) { return apply(Function::Sqrt, {a}); }
Tensor rsqrt(Tensor a) { return apply(Function::Rsqrt, {a}); }
Tensor relu(Tensor a) { return apply(Function::Relu, {a}); }
Tensor sigmoid(Tensor a) { return apply(Function::Sigmoid, {a}); }
Tensor silu(Tensor a) { return apply(Function::Silu, {a}); }
Tensor gelu(Tensor a) { return apply(Function::Gelu, {a}); }
Tensor select(Operand condition, Operand a, Operand b) {
  return apply(Function::Select, {condition, a, b});
}

Tensor cast(Tensor a, DataType type) {
  Fusion& f = a.fusion();
  const std::vector<Expr> shape = f.shape(a.id());
  const std::vector<Expr> indices = fresh_indices(f, shape.size());
  const ValueId read = f.values().read(f[a.id()].type, std::uint32_t(a.id()), indices);
  return f.compute("", indices, shape, f.values().cast(read, type));
}

Tensor transpose(Tensor a, std::vector<int> order) {
  Fusion& f = a.fusion();
  const std::vector<Expr> shape = f.shape(a.id());
  std::vector<int> axes = order;
  std::sort(axes.begin(), axes.end());
  for (std::size_t k = 0; k < std::max(axes.size(), shape.size()); ++k) {
    if (axes.size() == shape.size() && axes[k] == int(k)) continue;
    std::string text;
    for (int axis : order) text += (text.empty() ? "" : ", ") + std::to_string(axis);
    refuse<BadInput>("E507",
                     "{" + text + "} is no order of the " + std::to_string(shape.size()) +
                         " axes of " + f[a.id()].name + to_text(shape),
                     "name every axis from 0 on once");
  }
  const std::vector<Expr> indices = fresh_indices(f, shape.size());
  std::vector<Expr> subscripts(shape.size()), extents(shape.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    subscripts[std::size_t(order[k])] = indices[k];
    extents[k] = shape[std::size_t(order[k])];
  }
  const ValueId read =
      f.values().read(f[a.id()].type, std::uint32_t(a.id()), std::move(subscripts));
  return f.compute("", indices, extents, read);
}

}  // namespace selvage
