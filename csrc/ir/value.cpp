#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/ir/identity.h>
#include <selvage/ir/value.h>

#include <algorithm>

namespace selvage {

namespace {

// The value of a Constant, unrounded: a weak one has not been rounded to its type yet.
Scalar exact_value_of(const ValueNode& n) {
  if (n.weak && is_floating(n.type)) return Scalar::of(n.real);
  if (n.weak && is_integer(n.type)) return Scalar::of(DataType::Int64, n.integer);
  return value_of(n);
}

ValueNode constant_node(Scalar v, DataType type, bool weak) {
  ValueNode n{.kind = ValueNode::Kind::Constant, .type = type, .weak = weak};
  if (v.type == DataType::Float) {
    n.real = v.single;
  } else if (v.type == DataType::Double) {
    n.real = v.real;
  } else {
    n.integer = v.integer;
  }
  return n;
}

// The type that the operands of a function are brought to, and the type of its result.
struct Typing {
  DataType operands, result;
};

void check_integers(Function f, DataType operand) {
  if (!is_of_integers(f) || !is_floating(operand)) return;
  const std::string name(info(f).text);
  refuse<BadInput>(
      "E506",
      name + " is of bools and integers, and meets the type " + std::string(to_string(operand)),
      "cast to an integer type what it meets: write " + name + "(int32(...)" +
          (info(f).arity == 1 ? ")" : ", ...)"));
}

Typing typing(Function f, DataType common) {
  check_integers(f, common);
  switch (info(f).rule) {
    case ResultRule::Shift:
    case ResultRule::Same:
      if (common == DataType::Bool) common = DataType::Int32;
      return {common, common};
    case ResultRule::Real:
      if (!is_floating(common)) common = DataType::Float;
      return {common, common};
    case ResultRule::Truth: return {common, DataType::Bool};
    case ResultRule::Bits:
    case ResultRule::Second: return {common, common};
    case ResultRule::Word: return {DataType::Int64, DataType::UInt32};
    case ResultRule::Draw: return {DataType::Int64, DataType::Float};
    case ResultRule::Test: return {is_floating(common) ? common : DataType::Float, DataType::Bool};
  }
  SELVAGE_CHECK(!"a result rule");
}

bool fits_int32(std::int64_t v) { return std::int32_t(v) == v; }

bool may_leave(Function f) {
  return f == Function::Add || f == Function::Sub || f == Function::Mul || f == Function::Neg ||
         f == Function::Abs || f == Function::FloorDiv || f == Function::BitNot ||
         f == Function::ShiftLeft;
}

DataType common_type(DataType a, bool a_weak, DataType b, bool b_weak) {
  const auto common = promote(a, a_weak, b, b_weak);
  if (common) return *common;
  const std::string signed_one(to_string(a == DataType::UInt64 ? b : a));
  refuse<BadInput>("E506",
                   "no integer type holds both the " + signed_one + " and the uint64 that it meets",
                   "cast one of them: write uint64(...); or write " + signed_one + "(...)");
}

bool is_logical(Function f) {
  return f == Function::And || f == Function::Or || f == Function::Not;
}

}  // namespace

bool may_leave_its_type(const ValueNode& n) {
  return n.kind == ValueNode::Kind::Apply && is_narrow_integer(n.type) && may_leave(n.function);
}

Scalar value_of(const ValueNode& n) {
  SELVAGE_CHECK(n.kind == ValueNode::Kind::Constant);
  const DataType compute = compute_type(n.type);
  return is_floating(n.type) ? convert(Scalar::of(n.real), compute)
                             : Scalar::of(compute, n.integer);
}

void ValueGraph::set_math(Math math) {
  math_ = math;
  for (std::size_t k = 0; k < size(); ++k) {
    nodes_[k].math = Math::Exact;
    if (math == Math::Fast) make_fast(ValueId(k));
  }
}

void ValueGraph::make_fast(ValueId v) {
  ValueNode& n = nodes_[std::size_t(v)];
  const bool is_fast = n.kind == ValueNode::Kind::Apply && has_fast_form(n.function) &&
                       compute_type(n.type) == DataType::Float;
  if (is_fast) n.math = Math::Fast;
}

ValueId ValueGraph::add(ValueNode node) {
  nodes_.push_back(std::move(node));
  return ValueId(nodes_.size() - 1);
}

ValueId ValueGraph::constant(DataType type, std::int64_t v, bool weak) {
  if (is_floating(type)) return constant(type, double(v), weak);
  return add({.kind = ValueNode::Kind::Constant, .type = type, .weak = weak, .integer = v});
}

ValueId ValueGraph::constant(DataType type, double v, bool weak) {
  SELVAGE_CHECK(is_floating(type));
  return add({.kind = ValueNode::Kind::Constant, .type = type, .weak = weak, .real = v});
}

ValueId ValueGraph::whole(std::int64_t v) {
  return constant(std::int32_t(v) == v ? DataType::Int32 : DataType::Int64, v, true);
}

ValueId ValueGraph::index(Expr e) {
  const bool is_truth = info(e.op()).result == Result::Truth;
  return add({.kind = ValueNode::Kind::Index,
              .type = is_truth ? DataType::Bool : DataType::Int64,
              .index = e});
}

ValueId ValueGraph::read(DataType type, std::uint32_t source, std::vector<Expr> subscripts) {
  return add({.kind = ValueNode::Kind::Read,
              .type = type,
              .source = source,
              .subscripts = std::move(subscripts)});
}

ValueId ValueGraph::read_or(DataType type, std::uint32_t source, std::vector<Expr> subscripts,
                            ValueId otherwise) {
  check_literal(otherwise, type);
  return add({.kind = ValueNode::Kind::Read,
              .type = type,
              .source = source,
              .subscripts = std::move(subscripts),
              .operands = {in_compute_type(otherwise, compute_type(type))}});
}

ValueId ValueGraph::gather(DataType type, std::uint32_t source, std::vector<Expr> subscripts,
                           std::vector<LoadedIndex> loaded, std::vector<ValueId> indices,
                           std::optional<ValueId> otherwise) {
  SELVAGE_CHECK(loaded.size() == indices.size());
  if (otherwise) {
    const auto is_known = [](const LoadedIndex& l) { return l.most.valid(); };
    SELVAGE_CHECK(std::ranges::all_of(loaded, is_known));
    check_literal(*otherwise, type);
    indices.push_back(in_compute_type(*otherwise, compute_type(type)));
  }
  return add({.kind = ValueNode::Kind::Read,
              .type = type,
              .source = source,
              .subscripts = std::move(subscripts),
              .operands = std::move(indices),
              .loaded = std::move(loaded)});
}

ValueId ValueGraph::in_compute_type(ValueId v, DataType compute) {
  return compute_type((*this)[v].type) == compute ? v : cast(v, compute);
}

void ValueGraph::check_literal(ValueId v, DataType type) const {
  const ValueNode& n = (*this)[v];
  if (n.kind != ValueNode::Kind::Constant || !n.weak || !is_integer(n.type)) return;
  if (!is_integer(type) || exactly(n.integer, type)) return;
  const std::string literal = std::to_string(n.integer);
  const std::string wider = fits_int32(n.integer) ? "int32" : "int64";
  const std::string bits = fits_int32(n.integer) ? "32" : "64";
  refuse<BadInput>(
      "E506",
      "the literal " + literal + " does not fit the " + std::string(to_string(type)) +
          " that it meets",
      type == DataType::UInt64
          ? "cast what it meets to int64; or write uint64(" + literal + ") for what it wraps to"
          : "write " + wider + "(" + literal + ") to compute in " + bits + " bits");
}

ValueId ValueGraph::apply(Function f, std::vector<ValueId> operands) {
  SELVAGE_CHECK(operands.size() == std::size_t(info(f).arity));
  const std::size_t first = f == Function::Select ? 1 : 0;
  if (info(f).rule == ResultRule::Word || info(f).rule == ResultRule::Draw) {
    for (ValueId& v : operands) {  // which do not meet
      check_integers(f, (*this)[v].type);
      if (!(*this)[v].weak) v = cast(v, DataType::Int64);
    }
  }
  DataType common = (*this)[operands[first]].type;
  bool weak = (*this)[operands[first]].weak;
  for (std::size_t i = first + 1; i < operands.size(); ++i) {
    const ValueNode& n = (*this)[operands[i]];
    common = common_type(common, weak, n.type, n.weak);
    weak = weak && n.weak;
  }
  if (is_logical(f)) common = DataType::Bool;
  const Typing types = typing(f, common);

  const auto is_literal = [&](ValueId v) {
    return (*this)[v].kind == ValueNode::Kind::Constant && (*this)[v].weak;
  };
  if (std::all_of(operands.begin(), operands.end(), is_literal)) {
    // Literals are folded in 64 bits, as a person would compute.
    const DataType wide = is_floating(types.operands)  ? DataType::Double
                          : is_integer(types.operands) ? DataType::Int64
                                                       : DataType::Bool;
    std::vector<Scalar> values;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      values.push_back(
          convert(exact_value_of((*this)[operands[i]]), i < first ? DataType::Bool : wide));
    }
    const Scalar folded = selvage::apply(f, values);
    DataType type = types.result;
    if (is_integer(type) && !fits_int32(folded.integer)) type = DataType::Int64;
    return add(constant_node(folded, type, true));
  }

  if (first == 1) {
    weak = weak && (*this)[operands[0]].weak;
    operands[0] = in_compute_type(operands[0], DataType::Bool);
  }
  for (std::size_t i = first; i < operands.size(); ++i) {
    check_literal(operands[i], types.operands);
    operands[i] = in_compute_type(operands[i], compute_type(types.operands));
  }
  const ValueId v = add({.kind = ValueNode::Kind::Apply,
                         .type = types.result,
                         .weak = weak,
                         .function = f,
                         .operands = std::move(operands)});
  if (math_ == Math::Fast) make_fast(v);
  if (!may_leave_its_type((*this)[v])) return v;
  return add({.kind = ValueNode::Kind::Cast, .type = types.result, .weak = weak, .operands = {v}});
}

ValueId ValueGraph::check(std::uint32_t number, ValueId condition, ValueId value, ValueId shown,
                          ValueId point) {
  const DataType type = (*this)[value].type;
  return add({.kind = ValueNode::Kind::Check,
              .type = type,
              .source = number,
              .operands = {cast(condition, DataType::Bool), value, cast(shown, DataType::Int64),
                           cast(point, DataType::Int64)}});
}

ValueId ValueGraph::search(std::uint32_t source, Expr first, Expr last, ValueId position,
                           std::int64_t added) {
  return add({.kind = ValueNode::Kind::Search,
              .type = DataType::Int64,
              .integer = added,
              .source = source,
              .subscripts = {first, last},
              .operands = {cast(position, DataType::Int64)}});
}

ValueId ValueGraph::cast(ValueId v, DataType type) {
  const ValueNode& n = (*this)[v];
  if (n.kind == ValueNode::Kind::Constant) {
    if (n.type == type && !n.weak) return v;
    return add(constant_node(convert(exact_value_of(n), type), type, false));
  }
  const bool is_rounded =
      compute_type(type) == type || is_integer(type) || n.kind == ValueNode::Kind::Cast;
  if (n.type == type && is_rounded && !n.weak) return v;
  return add({.kind = ValueNode::Kind::Cast, .type = type, .operands = {v}});
}

ValueId ValueGraph::as_element(ValueId v, DataType type) {
  const DataType own = (*this)[v].type;
  if (own == type) return v;
  const bool is_alike = compute_type(own) == compute_type(type) && !is_narrow_integer(type);
  return is_alike ? v : cast(v, type);
}

}  // namespace selvage
