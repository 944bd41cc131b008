// Pointwise operations on tensors, as definitions in index notation.
#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/text.h>
#include <selvage/ir/op_shapes.h>

#include <algorithm>

namespace selvage {

namespace {

// The fusion of the operands that are tensors.
Fusion& fusion_of(Function function, const std::vector<Operand>& operands) {
  const Tensor* first = nullptr;
  for (const Operand& o : operands) {
    const Tensor* t = std::get_if<Tensor>(&o.value());
    if (t == nullptr) continue;
    if (first == nullptr) first = t;
    check_one_fusion(std::string(info(function).text), *first, *t);
  }
  if (first == nullptr) {
    refuse<BadInput>("E508",
                     std::string(info(function).text) + ": no operand is a tensor of a fusion",
                     "give at least one tensor");
  }
  return first->fusion();
}

// The shape that tensors have in common, aligned at their last axes.
std::vector<Expr> broadcast(Function function, const Fusion& f,
                            const std::vector<TensorId>& tensors) {
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
      } else if (!shape[k].is_const(1) && !same(n, shape[k]) &&
                 find_out(f, eq(n, shape[k])) == Holds::Never) {
        const TensorId other = from[skipped + k];
        refuse<BadInput>(
            "E501",
            "the shapes " + to_text(f.shape(other)) + " of " + f[other].name + " and " +
                to_text(shape) + " of " + f[t].name + " do not broadcast in " +
                std::string(info(function).text) + ": " + to_string(n) + " and " +
                to_string(shape[k]) + " differ",
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
  Fusion& f = fusion_of(function, operands);
  std::vector<TensorId> tensors;
  for (const Operand& o : operands) {
    if (const auto* t = std::get_if<Tensor>(&o.value())) tensors.push_back(t->id());
  }
  const std::optional<RowsId> rows = shared_rows(std::string(info(function).text), f, tensors);
  const std::vector<Expr> shape = broadcast(function, f, tensors);
  const std::vector<Expr> indices = fresh_indices(f, shape.size());
  ValueGraph& values = f.values();
  std::vector<ValueId> elements;
  for (const Operand& o : operands) {
    if (const auto* t = std::get_if<Tensor>(&o.value())) {
      elements.push_back(read_broadcast(f, t->id(), indices, shape));
    } else if (const auto* n = std::get_if<std::int64_t>(&o.value())) {
      elements.push_back(literal(values, *n));
    } else {
      elements.push_back(literal(values, std::get<double>(o.value())));
    }
  }
  const Tensor made = f.compute("", indices, shape, values.apply(function, std::move(elements)));
  // Aligned at their last axes, items may stand behind the first one: then no row has them.
  const bool has_items = std::ranges::any_of(
      tensors, [&](TensorId t) { return f[t].items_of && f[t].logical.size() == shape.size(); });
  if (has_items) f.edit(made.id()).items_of = rows;
  return made;
}

Tensor operator+(Operand a, Operand b) { return apply(Function::Add, {a, b}); }
Tensor operator-(Operand a, Operand b) { return apply(Function::Sub, {a, b}); }
Tensor operator*(Operand a, Operand b) { return apply(Function::Mul, {a, b}); }
Tensor operator/(Operand a, Operand b) { return apply(Function::TrueDiv, {a, b}); }
Tensor floor_div(Operand a, Operand b) { return apply(Function::FloorDiv, {a, b}); }
Tensor operator%(Operand a, Operand b) { return apply(Function::Mod, {a, b}); }
Tensor remainder(Operand a, Operand b) { return a % b; }
Tensor operator-(Tensor a) { return apply(Function::Neg, {a}); }
Tensor operator==(Operand a, Operand b) { return apply(Function::Eq, {a, b}); }
Tensor operator!=(Operand a, Operand b) { return apply(Function::Ne, {a, b}); }
Tensor operator<(Operand a, Operand b) { return apply(Function::Lt, {a, b}); }
Tensor operator<=(Operand a, Operand b) { return apply(Function::Le, {a, b}); }
Tensor operator>(Operand a, Operand b) { return b < a; }
Tensor operator>=(Operand a, Operand b) { return b <= a; }
Tensor operator&&(Operand a, Operand b) { return apply(Function::And, {a, b}); }
Tensor operator||(Operand a, Operand b) { return apply(Function::Or, {a, b}); }
Tensor operator!(Tensor a) { return apply(Function::Not, {a}); }
Tensor min(Operand a, Operand b) { return apply(Function::Min, {a, b}); }
Tensor max(Operand a, Operand b) { return apply(Function::Max, {a, b}); }
Tensor fmin(Operand a, Operand b) { return apply(Function::FMin, {a, b}); }
Tensor fmax(Operand a, Operand b) { return apply(Function::FMax, {a, b}); }
Tensor clamp(Operand x, Operand low, Operand high) { return min(max(x, low), high); }
Tensor pow(Operand a, Operand b) { return apply(Function::Pow, {a, b}); }
Tensor abs(Tensor a) { return apply(Function::Abs, {a}); }
Tensor exp(Tensor a) { return apply(Function::Exp, {a}); }
Tensor log(Tensor a) { return apply(Function::Log, {a}); }
Tensor tanh(Tensor a) { return apply(Function::Tanh, {a}); }
Tensor sqrt(Tensor a) { return apply(Function::Sqrt, {a}); }
Tensor rsqrt(Tensor a) { return apply(Function::Rsqrt, {a}); }
Tensor floor(Tensor a) { return apply(Function::Floor, {a}); }
Tensor ceil(Tensor a) { return apply(Function::Ceil, {a}); }
Tensor sin(Tensor a) { return apply(Function::Sin, {a}); }
Tensor cos(Tensor a) { return apply(Function::Cos, {a}); }
Tensor erf(Tensor a) { return apply(Function::Erf, {a}); }
Tensor relu(Tensor a) { return apply(Function::Relu, {a}); }
Tensor sigmoid(Tensor a) { return apply(Function::Sigmoid, {a}); }
Tensor silu(Tensor a) { return apply(Function::Silu, {a}); }
Tensor gelu(Tensor a) { return apply(Function::Gelu, {a}); }
Tensor gelu_tanh(Tensor a) { return apply(Function::GeluTanh, {a}); }
Tensor softplus(Tensor a) { return apply(Function::Softplus, {a}); }
Tensor exp2(Tensor a) { return apply(Function::Exp2, {a}); }
Tensor expm1(Tensor a) { return apply(Function::Expm1, {a}); }
Tensor log2(Tensor a) { return apply(Function::Log2, {a}); }
Tensor log1p(Tensor a) { return apply(Function::Log1p, {a}); }
Tensor reciprocal(Tensor a) { return apply(Function::Reciprocal, {a}); }
Tensor round(Tensor a) { return apply(Function::Round, {a}); }
Tensor trunc(Tensor a) { return apply(Function::Trunc, {a}); }
Tensor sign(Tensor a) { return apply(Function::Sign, {a}); }
Tensor isnan(Tensor a) { return apply(Function::IsNan, {a}); }
Tensor isinf(Tensor a) { return apply(Function::IsInf, {a}); }
Tensor isfinite(Tensor a) { return apply(Function::IsFinite, {a}); }
Tensor bit_and(Operand a, Operand b) { return apply(Function::BitAnd, {a, b}); }
Tensor bit_or(Operand a, Operand b) { return apply(Function::BitOr, {a, b}); }
Tensor bit_xor(Operand a, Operand b) { return apply(Function::BitXor, {a, b}); }
Tensor bit_not(Tensor a) { return apply(Function::BitNot, {a}); }
Tensor shift_left(Operand a, Operand bits) { return apply(Function::ShiftLeft, {a, bits}); }
Tensor shift_right(Operand a, Operand bits) { return apply(Function::ShiftRight, {a, bits}); }
Tensor select(Operand condition, Operand a, Operand b) {
  return apply(Function::Select, {condition, a, b});
}
Tensor where(Operand condition, Operand a, Operand b) { return select(condition, a, b); }

Tensor named(Tensor t, const std::string& name) {
  t.fusion().rename(t.id(), name);
  return t;
}

Tensor with_strides(Tensor t, std::vector<Extent> strides) {
  Fusion& f = t.fusion();
  const TensorInfo& info = f[t.id()];
  const std::size_t rank = info.logical.size();
  const auto refuse_strides = [&](const std::string& why, const std::string& help) {
    refuse<BadInput>("E515", "with_strides: " + to_text(t) + " " + why, help);
  };
  if (!info.is_input && !info.is_output) {
    refuse_strides("is neither an input nor an output", "say it of one that a call is given");
  }
  if (info.in_place_of || f.replacement(t.id())) {
    refuse_strides("shares its memory with " +
                       f[info.in_place_of ? *info.in_place_of : *f.replacement(t.id())].name,
                   "say how the input lies before an output takes its place");
  }
  if (!info.strides.empty() || !info.allocation.empty()) {
    refuse_strides("is laid out already", "say once how it lies in memory");
  }
  if (!strides.empty() && strides.size() != rank) {
    refuse_strides("has " + std::to_string(rank) + " axes, not " + std::to_string(strides.size()),
                   "give one stride for each axis, in elements, or none");
  }
  for (std::size_t k = strides.size(); k < rank; ++k) {
    strides.push_back(f.extent(info.name + "_stride_" + std::to_string(k)));
  }
  std::vector<Expr> own;
  for (const Extent& stride : strides) own.push_back(stride.in(f));
  f.edit(t.id()).strides = std::move(own);
  return t;
}

Tensor cast(Tensor a, DataType type) {
  Fusion& f = a.fusion();
  const std::vector<Expr> shape = shape_of(a), indices = fresh_indices(f, shape.size());
  const Tensor made = f.compute("", indices, shape, f.values().cast(element_of(a, indices), type));
  f.edit(made.id()).items_of = f[a.id()].items_of;
  return made;
}

Tensor fast(Tensor a) {
  Fusion& f = a.fusion();
  if (const auto& definition = f[a.id()].definition) {
    f.values().make_fast(*definition);
    f.edit(a.id());
  }
  return a;
}

}  // namespace selvage
