#include <selvage/base/refuse.h>
#include <selvage/expr/text.h>
#include <selvage/ir/op_shapes.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>

namespace selvage {

std::string to_text(const std::vector<Expr>& shape) {
  std::string text;
  for (Expr n : shape) text += (text.empty() ? "" : ", ") + to_string(n);
  return "[" + text + "]";
}

std::string to_text(Tensor t) { return t.fusion()[t.id()].name + to_text(shape_of(t)); }

std::vector<Expr> shape_of(Tensor t) { return t.fusion().shape(t.id()); }

std::vector<Expr> fresh_indices(Fusion& f, std::size_t rank) {
  std::vector<Expr> indices;
  for (std::size_t k = 0; k < rank; ++k) indices.push_back(f.fresh_index("i" + std::to_string(k)));
  return indices;
}

ValueId element_of(Tensor t, std::vector<Expr> subscripts) {
  Fusion& f = t.fusion();
  return f.values().read(f[t.id()].type, std::uint32_t(t.id()), std::move(subscripts));
}

ValueId literal(ValueGraph& values, std::int64_t n) {
  const bool is_narrow = std::int32_t(n) == n;
  return values.constant(is_narrow ? DataType::Int32 : DataType::Int64, n, true);
}
ValueId literal(ValueGraph& values, double n) { return values.constant(DataType::Float, n, true); }

ValueId filling_of(const std::string& op, Tensor x, const Operand& value) {
  Fusion& f = x.fusion();
  const DataType type = x.type();
  if (const auto* n = std::get_if<std::int64_t>(&value.value())) return literal(f.values(), *n);
  if (const auto* real = std::get_if<double>(&value.value())) {
    if (!is_floating(type)) {
      refuse<BadInput>("E506",
                       op + ": the value " + to_text(Scalar::of(*real)) + " does not fit the " +
                           std::string(to_string(type)) + " of " + to_text(x),
                       "give an integer, or cast the tensor first");
    }
    return literal(f.values(), *real);
  }
  const Tensor t = std::get<Tensor>(value.value());
  check_one_fusion(op, x, t);
  if (!shape_of(t).empty() || t.type() != type) {
    refuse<BadInput>("E511",
                     op + ": the value " + to_text(t) + " of type " +
                         std::string(to_string(t.type())) + " for " + to_text(x) + " of type " +
                         std::string(to_string(type)),
                     "give a number, or a tensor of that type without axes");
  }
  return element_of(t, {});
}

void check_one_fusion(const std::string& op, Tensor a, Tensor b) {
  if (!a.is_any() || !b.is_any()) {
    refuse<BadInput>("E508", op + ": an operand stands for no tensor: Tensor{}",
                     "assign to it first what an input or an operation gave");
  }
  if (&a.fusion() == &b.fusion()) return;
  refuse<BadInput>("E508",
                   op + ": the operands " + a.fusion()[a.id()].name + " and " +
                       b.fusion()[b.id()].name + " belong to two fusions",
                   "build both from the inputs of one");
}

std::optional<RowsId> shared_rows(const std::string& op, const Fusion& f,
                                  const std::vector<TensorId>& tensors) {
  std::optional<TensorId> first;
  for (TensorId t : tensors) {
    if (!f[t].items_of) continue;
    if (!first) first = t;
    const RowsId own = *f[t].items_of, other = *f[*first].items_of;
    if (own == other) continue;
    const auto offsets = [&](RowsId rows) { return f[TensorId(f.domains()[rows].offsets)].name; };
    refuse<BadInput>("E501",
                     op + ": " + f[*first].name + " has items of the rows of " + offsets(other) +
                         ", and " + f[t].name + " items of those of " + offsets(own),
                     "give both the same rows; or test that they are equal by check_same_rows(), "
                     "and write as_rows() of one");
  }
  return first ? f[*first].items_of : std::nullopt;
}

std::vector<std::size_t> axes_of(const std::string& op, Tensor t, const Axes& axes) {
  const auto rank = std::int64_t(t.fusion().shape(t.id()).size());
  std::vector<std::size_t> result;
  for (int axis : axes) {
    const std::int64_t k = axis < 0 ? axis + rank : axis;
    const std::string help = rank == 0 ? "name none: there are no axes"
                                       : "name axes from " + std::to_string(-rank) + " to " +
                                             std::to_string(rank - 1) + ", each once";
    if (k < 0 || k >= rank) {
      refuse<BadInput>("E510", op + ": " + to_text(t) + " has no axis " + std::to_string(axis),
                       help);
    }
    if (std::find(result.begin(), result.end(), std::size_t(k)) != result.end()) {
      refuse<BadInput>(
          "E510", op + ": axis " + std::to_string(axis) + " of " + to_text(t) + " is named twice",
          help);
    }
    result.push_back(std::size_t(k));
  }
  std::sort(result.begin(), result.end());
  return result;
}

Holds find_out(const Fusion& f, Expr condition) {
  Simplifier simplifier(*f.facts());
  if (simplifier.proves(condition)) return Holds::Always;
  return simplifier.proves(!condition) ? Holds::Never : Holds::Checked;
}

Holds require(Fusion& f, Expr condition, const std::string& why) {
  const Holds holds = find_out(f, condition);
  if (holds == Holds::Checked) f.check_at_launch(condition, why);
  return holds;
}

std::optional<std::int64_t> Extent::number() const {
  if (const auto* n = std::get_if<std::int64_t>(&value_)) return *n;
  const Expr e = std::get<Expr>(value_);
  return e.is(Op::Const) ? std::optional(e.value()) : std::nullopt;
}

Expr Extent::in(const Fusion& f) const {
  const auto n = number();
  return n ? f.pool().constant(*n) : std::get<Expr>(value_);
}

}  // namespace selvage
