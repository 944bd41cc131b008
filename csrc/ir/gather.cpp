#include <selvage/base/refuse.h>
#include <selvage/expr/text.h>
#include <selvage/ir/gather.h>

#include <algorithm>
#include <string>
#include <utility>

namespace selvage {

namespace {

// extent - 1
Expr before(Expr extent) {
  return extent.is(Op::Const) ? extent.pool().constant(extent.value() - 1) : extent - 1;
}

// What the index is called in pages and kernels: after the tensor that it is read from.
std::string name_of(const Fusion& f, ValueId index) {
  const ValueNode* node = &f.values()[index];
  while (node->kind == ValueNode::Kind::Cast) node = &f.values()[node->operands[0]];
  return node->kind == ValueNode::Kind::Read ? f[TensorId(node->source)].name : "at";
}

// The value out of bounds: it tells of the subscripts that are checked, where one is outside.
ValueId checked_fill(Tensor t, const std::vector<Subscript>& subscripts, ValueId otherwise) {
  Fusion& f = t.fusion();
  for (std::size_t axis = 0; axis < std::min(subscripts.size(), t.rank()); ++axis) {
    if (!subscripts[axis].is_checked()) continue;
    const ValueId at = subscripts[axis].value().in(f);
    otherwise = f.check(inside_check(f, t.id(), axis, at), is_subscript_inside(f, t.id(), axis, at),
                        otherwise, at);
  }
  return otherwise;
}

Element gathered(Tensor t, const std::vector<Subscript>& subscripts,
                 std::optional<ValueId> otherwise) {
  Fusion& f = t.fusion();
  const std::vector<Expr> shape = t.shape();
  std::optional<Simplifier> sizes;
  const bool is_checked = std::ranges::any_of(subscripts, &Subscript::is_checked);
  const bool is_filled = otherwise.has_value();
  if (is_checked && !is_filled) {
    otherwise = f.values().constant(t.type(), std::int64_t{0}, false);
  }
  if (is_checked) otherwise = checked_fill(t, subscripts, *otherwise);
  ReadAt at;
  for (std::size_t axis = 0; axis < subscripts.size(); ++axis) {
    const Subscript& s = subscripts[axis];
    // A wrong number of subscripts is refused where the tensor is defined.
    const Expr extent = axis < shape.size() ? shape[axis] : f.constant(1);
    if (const auto e = s.expression()) {
      // Where some subscripts are checked, those without a mode are to be proved in bounds.
      if (is_checked && s.is_checked() && !is_filled) {
        if (!sizes) sizes.emplace(*f.facts());
        at.add(remapped(*sizes, AccessMode::Clamped, *e, extent));
        at.only_if(f.values(), f.values().index(0 <= *e && *e < extent));
        continue;
      }
      if (!s.access_mode()) {
        at.add(*e);
        continue;
      }
      if (!sizes) sizes.emplace(*f.facts());
      at.add(*sizes, *s.access_mode(), *e, extent);
      continue;
    }
    const ValueId index = s.value().in(f);
    if ((is_filled || s.is_checked()) && s.mode() == IndexMode::Proved) {
      at.add_filled(f, index, extent);
    } else {
      at.add(index_value(f, index, extent, s.mode()));
    }
  }
  const bool is_kept_inside = is_checked && !is_filled;
  return {f,
          is_kept_inside ? at.read_inside(f, t.id(), *otherwise) : at.read(f, t.id(), otherwise)};
}

}  // namespace

ValueCheck inside_check(const Fusion& f, TensorId t, std::size_t axis, ValueId subscript) {
  const ValueNode& node = f.values()[subscript];
  const bool is_index = node.kind == ValueNode::Kind::Index;
  return {.kind = ValueCheck::Kind::Inside,
          .computed = {},
          .read = f[t].name,
          .axis = axis,
          .extent = f.shape(t)[axis],
          .text = is_index ? to_string(node.index) : "a load"};
}

ValueId is_subscript_inside(Fusion& f, TensorId t, std::size_t axis, ValueId subscript) {
  ValueGraph& values = f.values();
  const Expr extent = f.shape(t)[axis];
  const ValueNode node = values[subscript];
  if (node.kind == ValueNode::Kind::Index) {
    return values.index(0 <= node.index && node.index < extent);
  }
  return is_inside(values, values.cast(subscript, DataType::Int64), extent);
}

void check_index(DataType type) {
  if (is_integer(type) && type != DataType::UInt64) return;
  refuse<BadInput>(
      "E516",
      "a subscript that is a value of type " + std::string(to_string(type)) + " cannot be an index",
      type == DataType::UInt64 ? "cast it to int64, if it fits"
                               : "cast it to an integer type, such as int32");
}

std::optional<std::int64_t> greatest_index(const ValueGraph& values, ValueId index) {
  const ValueNode* node = &values[index];
  if (node->kind == ValueNode::Kind::Cast && node->type == DataType::Int64) {
    node = &values[node->operands[0]];
  }
  if (node->type == DataType::UInt8) return UINT8_MAX;
  if (node->type == DataType::UInt16) return UINT16_MAX;
  if (node->type == DataType::UInt32) return UINT32_MAX;
  return std::nullopt;
}

ValueId is_inside(ValueGraph& values, ValueId index, Expr extent) {
  const ValueId zero = values.constant(DataType::Int64, std::int64_t{0}, false);
  return values.apply(Function::And, {values.apply(Function::Le, {zero, index}),
                                      values.apply(Function::Lt, {index, values.index(extent)})});
}

ValueId clamped_to(ValueGraph& values, ValueId index, Expr extent) {
  const ValueId zero = values.constant(DataType::Int64, std::int64_t{0}, false);
  const ValueId least = values.apply(Function::Max, {index, zero});
  return values.apply(Function::Min, {least, values.index(before(extent))});
}

IndexValue index_value(Fusion& f, ValueId index, Expr extent, IndexMode mode) {
  ValueGraph& values = f.values();
  check_index(values[index].type);
  LoadedIndex loaded{f.fresh_index(name_of(f, index) + ".at"), mode};
  const ValueId own = values.cast(index, DataType::Int64);
  if (mode == IndexMode::Proved) {
    const auto most = greatest_index(values, own);
    if (most) loaded.most = f.constant(*most);
  } else {
    loaded.most = before(extent);
  }
  return {loaded, mode == IndexMode::Clamped ? clamped_to(values, own, extent) : own};
}

void ReadAt::add(const IndexValue& index) { add(index, index.loaded.symbol); }

void ReadAt::add(const IndexValue& index, Expr subscript) {
  add(subscript);
  loaded_.push_back(index.loaded);
  indices_.push_back(index.value);
}

void ReadAt::add(Simplifier& simplifier, AccessMode mode, Expr of, Expr extent) {
  modes_.push_back({std::uint32_t(subscripts_.size()), mode, of});
  subscripts_.push_back(remapped(simplifier, mode, of, extent));
}

ValueId ReadAt::element(Fusion& f, TensorId t, std::optional<ValueId> otherwise) const {
  ValueGraph& values = f.values();
  const ValueId read =
      values.gather(f[t].type, std::uint32_t(t), subscripts_, loaded_, indices_, otherwise);
  if (!modes_.empty()) values.set_modes(read, modes_);
  return read;
}

void ReadAt::only_if(ValueGraph& values, ValueId condition) {
  condition_ = condition_ ? values.apply(Function::And, {*condition_, condition}) : condition;
}

void ReadAt::add_filled(Fusion& f, ValueId index, Expr extent) {
  add(index_value(f, index, extent, IndexMode::Clamped));
  const ValueId own = f.values().cast(index, DataType::Int64);
  only_if(f.values(), is_inside(f.values(), own, extent));
}

ValueId ReadAt::read(Fusion& f, TensorId t, std::optional<ValueId> otherwise) const {
  const ValueId own = element(f, t, otherwise);
  if (!condition_) return own;
  if (f[t].type == DataType::Bool) otherwise = f.values().cast(*otherwise, DataType::Bool);
  return f.values().apply(Function::Select, {*condition_, own, otherwise.value()});
}

ValueId ReadAt::read_inside(Fusion& f, TensorId t, ValueId otherwise) const {
  return f.values().apply(Function::Select, {condition_.value(), element(f, t, {}), otherwise});
}

Subscript checked(Expr subscript) { return Subscript::checked(Subscript(subscript)); }
Subscript checked(const Element& index) { return Subscript::checked(Subscript(index)); }
Subscript clamped(Expr subscript) { return {AccessMode::Clamped, subscript}; }
Subscript circular(Expr subscript) { return {AccessMode::Circular, subscript}; }
Subscript mirror(Expr subscript) { return {AccessMode::Mirror, subscript}; }
Subscript reflect(Expr subscript) { return {AccessMode::Reflect, subscript}; }
Subscript clamped(const Element& index) { return {index, IndexMode::Clamped}; }
Subscript unchecked(const Element& index) { return {index, IndexMode::Unchecked}; }

Element gather(Tensor t, const std::vector<Subscript>& subscripts) {
  return gathered(t, subscripts, std::nullopt);
}

Element gather_or(Tensor t, const std::vector<Subscript>& subscripts, const Element& outside) {
  return gathered(t, subscripts, outside.in(t.fusion()));
}

}  // namespace selvage
