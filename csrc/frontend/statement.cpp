// One statement of section 2, from its parts to a computed tensor.
#include <selvage/frontend/names.h>
#include <selvage/frontend/statement.h>
#include <selvage/frontend/words.h>

#include <algorithm>
#include <unordered_map>

namespace selvage {

namespace {

using Kind = FormulaNode::Kind;

class Builder {
 public:
  Builder(const Formula& formula, const Node& text, std::span<const Formula> all, Fusion& fusion,
          SizeScope& sizes, FileContext& context)
      : formula_(formula),
        text_(text),
        all_(all),
        fusion_(fusion),
        sizes_(sizes),
        context_(context) {
    for (const Formula::Index& index : formula.indices) {
      indices_.push_back(fusion.fresh_index(index.name));
      positions_[index.name] = indices_.size() - 1;
    }
  }

  // Nodes come after their operands, so one pass in order makes them all.
  ValueId value() {
    values_.resize(formula_.nodes.size());
    subscripts_.resize(formula_.nodes.size());
    for (std::size_t k = 0; k < formula_.nodes.size(); ++k) {
      const FormulaNode& node = formula_.nodes[k];
      at_place<BadInput>(place(node.at), [&] {
        if (node.in_subscript) {
          subscripts_[k] = subscript(node);
        } else {
          values_[k] = element_value(node);
        }
      });
    }
    return values_.back();
  }

  std::vector<Expr> shape() {
    std::vector<Expr> extents;
    for (const Formula::Index& index : formula_.indices) {
      const Expr extent = extent_of(index.name);
      if (!extent.valid()) {
        refuse("E317", place(index.at),
               "the extent of the index " + index.name + " of " + formula_.target + " is not known",
               "read a tensor at [" + index.name + "], or give " + formula_.target +
                   " a shape under outputs");
      }
      extents.push_back(extent);
    }
    return extents;
  }

  const std::vector<Expr>& indices() const { return indices_; }
  Place place(std::size_t at) const { return place_in(text_, at); }

 private:
  // An index, a size, or nothing.
  Expr symbol(const std::string& name) {
    const auto it = positions_.find(name);
    return it == positions_.end() ? sizes_.use(name) : indices_[it->second];
  }

  [[noreturn]] void refuse_name(const FormulaNode& node, bool in_value) {
    if (fusion_.find(node.name) || computes(node.name)) {
      refuse("E302", place(node.at), node.name + " is a tensor and stands without subscripts",
             "write " + node.name + "[...]");
    }
    std::vector<std::string_view> words = context_.symbols.names();
    for (const Formula::Index& index : formula_.indices) words.push_back(index.name);
    const std::string otherwise =
        in_value ? "use an index of the left side, a symbol, or a tensor at its subscripts"
                 : "put it on the left; reductions are not supported yet";
    refuse(in_value ? "E302" : "E504", place(node.at),
           node.name + " is neither an index of " + formula_.target + " nor a symbol",
           in_value ? meant(node.name, words, otherwise) : otherwise);
  }

  bool computes(const std::string& name) const {
    return std::any_of(all_.begin(), all_.end(),
                       [&](const Formula& f) { return f.target == name; });
  }

  Expr subscript(const FormulaNode& node) {
    const auto not_affine = [&] {
      refuse("E316", place(node.at), "the subscript is not affine in the indices",
             "use sums of indices, integers and sizes, and products with integers and sizes, such "
             "as 2 * i + 1");
    };
    const auto operand = [&](std::size_t k) { return subscripts_[node.operands[k]]; };
    if (node.kind == Kind::Integer) return fusion_.constant(node.integer);
    if (node.kind == Kind::Name) {
      const Expr e = symbol(node.name);
      if (!e.valid()) refuse_name(node, false);
      return e;
    }
    if (node.kind == Kind::Apply && node.function == Function::Add) return operand(0) + operand(1);
    if (node.kind == Kind::Apply && node.function == Function::Sub) return operand(0) - operand(1);
    if (node.kind == Kind::Apply && node.function == Function::Neg) return 0 - operand(0);
    const bool is_product = node.kind == Kind::Apply && node.function == Function::Mul;
    if (!is_product || (has_index(node.operands[0]) && has_index(node.operands[1]))) not_affine();
    return operand(0) * operand(1);
  }

  // Subscripts are short; what was found below is not kept.
  bool has_index(std::uint32_t k) const {
    const FormulaNode& node = formula_.nodes[k];
    if (node.kind == Kind::Name) return positions_.count(node.name) != 0;
    return std::any_of(node.operands.begin(), node.operands.end(),
                       [&](std::uint32_t operand) { return has_index(operand); });
  }

  ValueId element_value(const FormulaNode& node) {
    ValueGraph& values = fusion_.values();
    std::vector<ValueId> operands;
    if (node.kind == Kind::Apply || node.kind == Kind::Cast) {
      for (std::uint32_t k : node.operands) operands.push_back(values_[k]);
    }
    switch (node.kind) {
      case Kind::Integer: {
        const bool is_narrow = std::int32_t(node.integer) == node.integer;
        return values.constant(is_narrow ? DataType::Int32 : DataType::Int64, node.integer, true);
      }
      case Kind::Real: return values.constant(DataType::Float, node.real, true);
      case Kind::Truth: return values.constant(DataType::Bool, node.integer, true);
      case Kind::Name: {
        const Expr e = symbol(node.name);
        if (!e.valid()) refuse_name(node, true);
        return values.index(e);
      }
      case Kind::Element: return read(node);
      case Kind::Apply: return values.apply(node.function, std::move(operands));
      case Kind::Cast: break;
    }
    return values.cast(operands[0], node.type);
  }

  ValueId read(const FormulaNode& node) {
    const auto source = fusion_.find(node.name);
    if (!source) {
      if (node.name == formula_.target || computes(node.name)) {
        refuse("E318", place(node.at), node.name + " is read before it is computed",
               node.name == formula_.target ? "give the result another name"
                                            : "move its statement up");
      }
      std::vector<std::string_view> words;
      for (std::size_t t = 0; t < fusion_.size(); ++t) words.push_back(fusion_[TensorId(t)].name);
      refuse("E205", place(node.at), "there is no tensor " + shown(node.name),
             meant(node.name, words, "declare it under inputs"));
    }
    const TensorInfo& tensor = fusion_[*source];
    if (tensor.logical.size() != node.operands.size()) {
      refuse("E503", place(node.at),
             node.name + " has rank " + std::to_string(tensor.logical.size()) + " and is read at " +
                 std::to_string(node.operands.size()) +
                 (node.operands.size() == 1 ? " subscript" : " subscripts"),
             "give one subscript for each axis");
    }
    std::vector<Expr> subscripts;
    for (std::size_t axis = 0; axis < node.operands.size(); ++axis) {
      const std::uint32_t k = node.operands[axis];
      subscripts.push_back(subscripts_[k]);
      // A lone index has the extent of the axis; the first one tells.
      const FormulaNode& lone = formula_.nodes[k];
      if (lone.kind == Kind::Name && positions_.count(lone.name)) {
        extents_.emplace(lone.name, fusion_.domains()[tensor.logical[axis]].extent);
      }
    }
    return fusion_.values().read(tensor.type, std::uint32_t(*source), std::move(subscripts));
  }

  Expr extent_of(const std::string& index) const {
    const auto it = extents_.find(index);
    return it == extents_.end() ? Expr() : it->second;
  }

  const Formula& formula_;
  const Node& text_;
  std::span<const Formula> all_;
  Fusion& fusion_;
  SizeScope& sizes_;
  FileContext& context_;
  std::vector<Expr> indices_;
  std::unordered_map<std::string, std::size_t> positions_;
  std::unordered_map<std::string, Expr> extents_;  // of indices that stand alone on an axis
  std::vector<ValueId> values_;                    // by node
  std::vector<Expr> subscripts_;                   // by node
};

}  // namespace

void make_tensor(const Formula& formula, const Node& text, StatementOutput* output,
                 std::span<const Formula> all, Fusion& fusion, SizeScope& sizes,
                 FileContext& context) {
  Builder builder(formula, text, all, fusion, sizes, context);
  const ValueId value = builder.value();
  std::vector<Expr> shape;
  if (output != nullptr && output->shape) {
    for (std::size_t k = 0; k < formula.indices.size(); ++k) {
      shape.push_back(
          sizes.extent((*output->shape)[k], output->layout.place,
                       "the extent of " + formula.indices[k].name + " of " + formula.target));
    }
  } else {
    shape = builder.shape();
  }
  at_place<BadInput>(builder.place(formula.target_at), [&] {
    const std::optional<DataType> type = output != nullptr ? output->type : std::nullopt;
    const Tensor tensor = fusion.compute(formula.target, builder.indices(), shape, value, type);
    if (output == nullptr) return;
    fusion.output(formula.target, tensor, type);
    std::vector<std::string> axes;
    for (const Formula::Index& index : formula.indices) axes.push_back(index.name);
    TensorInfo& info = fusion.edit(tensor.id());
    info.align = output->layout.align;
    info.strides = strides_of(output->layout, info.name, info.type, axes, fusion.shape(tensor.id()),
                              fusion, context.symbols, sizes);
  });
}

}  // namespace selvage
