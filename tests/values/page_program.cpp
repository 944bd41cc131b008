#include "tests/values/page_program.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace selvage::values {

bool fits(const Literal& literal, DataType type) {
  if (literal.is_real) return is_floating(type);
  if (type == DataType::Bool) return false;
  if (!is_floating(type)) return whole(type, literal.integer).integer == Wide(literal.integer);
  const Element e = cast(whole(DataType::Int64, literal.integer), type);
  return std::isfinite(e.real) && (long double)(e.real) == (long double)(literal.integer);
}

DataType type_beside(const Literal& literal, DataType other) {
  if (is_floating(other)) return other;
  if (literal.is_real) return DataType::Float;
  return other == DataType::Bool ? DataType::Int32 : other;
}

std::string_view text_of(How how) {
  constexpr std::string_view kTexts[] = {"sum",  "prod", "max", "min", "fmax",   "fmin",
                                         "mean", "var",  "any", "all", "argmax", "argmin"};
  static_assert(std::size(kTexts) == kHows);
  return kTexts[std::size_t(how)];
}

const std::vector<int>& PageProgram::axes_of(int tensor) const {
  const auto n = int(inputs.size());
  return tensor < n ? inputs[std::size_t(tensor)].axes : statements[std::size_t(tensor - n)].axes;
}

const std::string& PageProgram::name_of(int tensor) const {
  const auto n = int(inputs.size());
  return tensor < n ? inputs[std::size_t(tensor)].name : statements[std::size_t(tensor - n)].name;
}

std::optional<DataType> type_of(const Node& node, const std::vector<DataType>& tensors) {
  switch (node.kind) {
    case Node::Kind::Literal: return {};
    case Node::Kind::Read: return tensors.at(std::size_t(node.tensor));
    case Node::Kind::Cast:
    case Node::Kind::Fold: {
      const auto type = type_of(node.operands[0], tensors);
      if (!type) return {};
      return node.kind == Node::Kind::Cast ? node.type : fold_result(node.how, *type);
    }
    case Node::Kind::Apply: break;
  }
  std::vector<std::optional<DataType>> types;
  for (const Node& o : node.operands) types.push_back(type_of(o, tensors));
  // Literals take the type of what they meet: of the first that is none.
  const std::size_t first = node.op == Op::Select ? 1 : 0;
  std::optional<DataType> other;
  for (std::size_t k = first; k < types.size(); ++k) other = other ? other : types[k];
  if (!other || (first == 1 && !types[0])) return {};
  std::vector<DataType> told;
  for (std::size_t k = 0; k < types.size(); ++k) {
    if (types[k]) {
      told.push_back(*types[k]);
      continue;
    }
    if (node.operands[k].kind != Node::Kind::Literal) return {};
    const DataType type = type_beside(node.operands[k].literal, *other);
    if (!fits(node.operands[k].literal, type)) return {};
    told.push_back(type);
  }
  return result_type(node.op, told);
}

Axes axes_of(const Node& node, const PageProgram& program) {
  Axes axes = 0;
  if (node.kind == Node::Kind::Read) {
    for (int axis : program.axes_of(node.tensor)) axes |= 1U << axis;
  }
  for (const Node& o : node.operands) axes |= axes_of(o, program);
  return node.kind == Node::Kind::Fold ? axes & ~node.folded : axes;
}

std::optional<std::vector<DataType>> types_of(const PageProgram& program) {
  std::vector<DataType> types;
  for (const Input& input : program.inputs) types.push_back(input.values.type);
  for (const Statement& s : program.statements) {
    const auto type = type_of(s.value, types);
    if (!type) return {};
    types.push_back(*type);
  }
  return types;
}

namespace {

// Evaluates expressions over whole arrays, from the leaves up.
class Evaluation {
 public:
  explicit Evaluation(const PageProgram& program) : program_(program) {
    for (const Input& input : program.inputs) {
      Items items{.axes = 0, .elements = {}};
      for (int axis : input.axes) items.axes |= 1U << axis;
      for_each(items.axes, [&](std::array<std::int64_t, 2> at) {
        std::int64_t k = 0;
        for (int axis : input.axes)
          k = k * program.extents[std::size_t(axis)] + at[std::size_t(axis)];
        items.elements.push_back(item_of(input.values, k));
      });
      tensors_.push_back(std::move(items));
      types_.push_back(input.values.type);
    }
  }

  void add(const Statement& s) {
    Items items = value(s.value);
    types_.push_back(*type_of(s.value, types_));
    if (s.is_output) {
      Output output{.name = s.name, .elements = {}};
      Axes axes = 0;
      for (int axis : s.axes) axes |= 1U << axis;
      const auto put = [&](std::array<std::int64_t, 2> at) {
        output.elements.push_back(cast(element(items, at), s.stored.value_or(types_.back())));
      };
      if (s.axes == std::vector{1, 0}) {
        for (std::int64_t n = 0; n < program_.extents[1]; ++n) {
          for (std::int64_t m = 0; m < program_.extents[0]; ++m) put({m, n});
        }
      } else {
        for_each(axes, put);
      }
      outputs.push_back(std::move(output));
    }
    tensors_.push_back(std::move(items));
  }

  std::vector<Output> outputs;

 private:
  template <class F>
  void for_each(Axes axes, F f) const {
    const std::int64_t rows = (axes & 1U) != 0 ? program_.extents[0] : 1;
    const std::int64_t columns = (axes & 2U) != 0 ? program_.extents[1] : 1;
    for (std::int64_t m = 0; m < rows; ++m) {
      for (std::int64_t n = 0; n < columns; ++n) f(std::array{m, n});
    }
  }

  const Element& element(const Items& items, std::array<std::int64_t, 2> at) const {
    std::int64_t k = 0;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      if ((items.axes >> axis & 1U) != 0) k = k * program_.extents[axis] + at[axis];
    }
    return items.elements[std::size_t(k)];
  }

  Items value(const Node& node) const {
    Items items{.axes = axes_of(node, program_), .elements = {}};
    switch (node.kind) {
      case Node::Kind::Literal: break;  // whoever meets it knows its type
      case Node::Kind::Read: read(node, items); break;
      case Node::Kind::Apply: apply_to(node, items); break;
      case Node::Kind::Cast:
        items = value(node.operands[0]);
        for (Element& e : items.elements) e = cast(e, node.type);
        break;
      case Node::Kind::Fold: fold(node, items); break;
    }
    return items;
  }

  static Element literal(const Literal& l, DataType type) {
    if (l.is_real) return number(type, l.real);
    return carried(whole(type == DataType::UInt64 ? type : DataType::Int64, l.integer), type);
  }

  void read(const Node& node, Items& items) const {
    const Items& from = tensors_[std::size_t(node.tensor)];
    for_each(items.axes, [&](std::array<std::int64_t, 2> at) {
      bool is_inside = true;
      for (std::size_t axis = 0; axis < 2; ++axis) {
        if ((items.axes >> axis & 1U) == 0) continue;
        at[axis] -= node.shift[axis];
        is_inside = is_inside && at[axis] >= 0 && at[axis] < program_.extents[axis];
      }
      items.elements.push_back(is_inside ? element(from, at)
                                         : literal(node.literal, types_[std::size_t(node.tensor)]));
    });
  }

  void apply_to(const Node& node, Items& items) const {
    std::vector<Items> operands;
    std::optional<DataType> other;
    const std::size_t first = node.op == Op::Select ? 1 : 0;
    for (std::size_t k = 0; k < node.operands.size(); ++k) {
      operands.push_back(value(node.operands[k]));
      if (k >= first && !other) other = type_of(node.operands[k], types_);
    }
    for_each(items.axes, [&](std::array<std::int64_t, 2> at) {
      std::vector<Element> elements;
      for (std::size_t k = 0; k < operands.size(); ++k) {
        const Node& o = node.operands[k];
        elements.push_back(o.kind == Node::Kind::Literal
                               ? literal(o.literal, type_beside(o.literal, *other))
                               : element(operands[k], at));
      }
      items.elements.push_back(values::apply(node.op, elements));
    });
  }

  void fold(const Node& node, Items& items) const {
    const Items from = value(node.operands[0]);
    for_each(items.axes, [&](std::array<std::int64_t, 2> at) {
      std::vector<Element> elements;
      for_each(node.folded, [&](std::array<std::int64_t, 2> inner) {
        elements.push_back(element(from, {(node.folded & 1U) != 0 ? inner[0] : at[0],
                                          (node.folded & 2U) != 0 ? inner[1] : at[1]}));
      });
      items.elements.push_back(folded(node.how, elements, node.correction.value_or(1)));
    });
  }

  const PageProgram& program_;
  std::vector<Items> tensors_;
  std::vector<DataType> types_;
};

}  // namespace

std::vector<Output> evaluated(const PageProgram& program) {
  Evaluation evaluation(program);
  for (const Statement& s : program.statements) evaluation.add(s);
  return evaluation.outputs;
}

}  // namespace selvage::values
