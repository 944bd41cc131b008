// One statement of section 2, from its parts to a computed tensor.
#include <selvage/base/check.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/statement.h>
#include <selvage/frontend/statement_checks.h>
#include <selvage/frontend/statement_indices.h>
#include <selvage/frontend/statement_names.h>
#include <selvage/frontend/statement_reads.h>
#include <selvage/frontend/statement_subscripts.h>
#include <selvage/ir/compaction.h>
#include <selvage/ir/fold.h>
#include <selvage/ir/moved_store.h>
#include <selvage/ir/ragged.h>

#include <algorithm>

namespace selvage {

namespace {

using Kind = FormulaNode::Kind;

class StatementBuilder {
 public:
  StatementBuilder(const Formula& formula, const Node& text,
                   const std::optional<std::vector<Expr>>& shape, std::span<const Formula> all,
                   Fusion& fusion, SizeScope& sizes, FileContext& context)
      : formula_(formula),
        text_(text),
        fusion_(fusion),
        sizes_(sizes),
        indices_(formula, fusion),
        names_(formula, text, all, fusion, sizes, context, indices_),
        subscripts_(formula, text, fusion, sizes, indices_, names_),
        checks_(formula, text, fusion),
        reads_(formula, text, fusion, sizes, indices_, names_, subscripts_, checks_, values_) {
    for (std::size_t k = 0; shape && k < shape->size(); ++k) {
      indices_.set(indices_.of_target()[k], (*shape)[k]);
    }
    set_extents(formula.indices, indices_.of_target());
    for (std::size_t f = 0; f < formula.folds.size(); ++f) {
      set_extents(formula.folds[f].indices, indices_.of_fold(f));
    }
    for (const FormulaNode& node : formula.nodes) note_extents(node);
  }

  // The value of the right side, or of what it folds as a whole. Nodes come after their operands,
  // so one pass in order makes them all.
  ValueId value() {
    values_.resize(formula_.nodes.size());
    const std::size_t last = formula_.nodes.size() - 1;
    for (std::size_t k = 0; k < formula_.nodes.size(); ++k) {
      const FormulaNode& node = formula_.nodes[k];
      at_place<BadInput>(place(node.at), [&] {
        number_ = std::uint32_t(k);
        if (node.is_loaded) {
          values_[k] = loaded_value(node);
        } else if (node.in_subscript) {
          subscripts_.make(std::uint32_t(k));
        } else if (node.kind == Kind::Fold && k == last) {
          values_[k] = checks_.of_assertion(node.operands[0], values_[node.operands[0]]);
        } else if (!node.is_filled && node.kind != Kind::Compact) {
          values_[k] = element_value(node);
        }
      });
    }
    return values_.back();
  }

  // The tensors of a compaction, in whose value() they are not: as long as `length`, if that is
  // known, else as there are items.
  Tensor compacted() {
    const FormulaNode& node = formula_.nodes.back();
    if (formula_.indices.size() != 1) {
      refuse("E314", place(formula_.target_at),
             formula_.target + " has " + std::to_string(formula_.indices.size()) +
                 " indices, and what is kept lies along one axis",
             "write " + formula_.target + "[k] = compact(...)");
    }
    if (!formula_.stored_at.empty()) {
      refuse(
          "E314", place(formula_.target_at), "what is kept is stored elsewhere at once",
          "write " + formula_.target + "[k] = compact(...), and store that in a statement behind");
    }
    for (const FormulaNode& n : formula_.nodes) {
      if (n.kind != Kind::Name || !same(indices_.find(n), indices_.of_target()[0])) continue;
      refuse("E314", place(n.at),
             n.name + " counts what is kept, and stands in what may be kept, too",
             "name the index of " + formula_.target + " otherwise");
    }
    if (formula_.folds[node.fold].indices.empty()) {
      refuse("E314", place(node.at), "compact goes over no index",
             "read a tensor at one, such as compact(x[i], x[i] > 0)");
    }
    const Fusion::FoldRequest request = this->request(node.fold);
    const auto tensor = [&](const char* name, std::uint32_t operand) {
      return fusion_.compute(names_.unused(formula_.target + "_" + name), request.indices,
                             request.shape, values_[operand]);
    };
    const Tensor items = tensor("item", node.operands[0]);
    const Tensor keep = tensor("keep", node.operands[1]);
    const Expr length = indices_.extent(indices_.of_target()[0]);
    const Compacted made =
        compact(items, keep, length.valid() ? std::optional(length) : std::nullopt);
    fusion_.rename(made.kept.id(), names_.unused(formula_.target + "_kept"));
    fusion_.rename(made.count.id(), names_.unused(formula_.target + "_count"));
    fusion_.rename(made.items.id(), formula_.target);
    return made.items;
  }

  // What stores items elsewhere than at their indices: `item`, of these, comes into a tensor of
  // this shape.
  Tensor moved(Tensor item, const std::vector<Expr>& shape, std::optional<Tensor> old) {
    Simplifier& simplifier = sizes_.simplifier();
    std::vector<MovedAxis> axes;
    for (std::size_t k = 0; k < formula_.stored_at.size(); ++k) {
      const std::uint32_t at = formula_.stored_at[k];
      const FormulaNode& node = formula_.nodes[at];
      at_place<BadInput>(place(node.at), [&] {
        axes.push_back(
            moved_axis(formula_.indices[k].name, indices()[k], subscripts_[at], simplifier));
        if (node.kind != Kind::Remap) return;
        if (node.remap == Remap::Checked) check_inside(axes[k], item.shape()[k], shape[k]);
        const auto mode = access_mode(node.remap);
        if (mode) refuse_mode(axes[k], k, *mode, item.shape()[k], shape[k], simplifier);
      });
    }
    return move_store(item, axes, shape, old, formula_.target);
  }

  // The sizes decide it, as a subscript rises or falls with its index.
  void check_inside(const MovedAxis& axis, Expr items, Expr elements) {
    if (!fusion_.is_checked()) return;
    Simplifier& simplifier = sizes_.simplifier();
    const auto [condition, why] = comes_inside(axis, formula_.target, items, elements, simplifier);
    const Expr simple = simplifier.simplify(condition);
    if (simple.is_false()) {
      refuse("E512", {}, why + ", which is not so", "write safe, which drops what is outside");
    }
    if (!simplifier.proves(condition)) fusion_.check_at_launch(simple, why);
  }

  std::vector<Expr> shape() const {
    std::vector<Expr> extents;
    for (std::size_t k = 0; k < formula_.indices.size(); ++k) {
      const Formula::Index& index = formula_.indices[k];
      const Expr extent = indices_.extent(indices_.of_target()[k]);
      if (!extent.valid()) {
        refuse("E317", place(index.at),
               "the extent of the index " + index.name + " of " + formula_.target +
                   " is not known" + indices_.why_unknown(indices_.of_target()[k]),
               "read a tensor at [" + index.name + "]" +
                   (formula_.stored_at.empty()
                        ? ", or give " + formula_.target + " a shape under outputs"
                        : ""));
      }
      extents.push_back(extent);
    }
    return extents;
  }

  Fusion::FoldRequest request(std::size_t number) const {
    const Formula::Fold& fold = formula_.folds[number];
    const std::string name = fold.name();
    if (fold.scanned) return scan_request(number);
    if (fold.indices.empty()) {
      refuse("E314", place(fold.at),
             name + " folds over no index: all that stand in it stand on the left as well",
             "leave one of them out on the left, or write the operand alone");
    }
    Fusion::FoldRequest request{.how = fold.how,
                                .indices = indices_.of_fold(number),
                                .shape = {},
                                .correction = fold.correction};
    for (std::size_t k = 0; k < fold.indices.size(); ++k) {
      const Formula::Index& index = fold.indices[k];
      request.shape.push_back(indices_.extent(request.indices[k]));
      if (request.shape.back().valid()) continue;
      refuse("E317", place(index.at),
             "the extent of the index " + index.name + ", over which " + name +
                 " folds, is not known" + indices_.why_unknown(request.indices[k]),
             "read a tensor at [" + index.name + "] inside " + name + "(...), or write " + name +
                 "[" + index.name + " < 3](...) for as many");
    }
    return request;
  }

  Fusion::FoldRequest scan_request(std::size_t number) const {
    const Formula::Fold& scan = formula_.folds[number];
    const Expr along = indices_.scanned_by(number);
    if (!along.valid()) {
      refuse("E314", place(scan.scanned->at),
             scan.name() + " runs along " + scan.scanned->name + ", which is no index around it",
             "name an index on the left, or one that a reduction around it folds over");
    }
    return {.how = scan.how, .indices = {}, .shape = {}, .scanned = along};
  }

  // A tensor over these indices, the second of which may run over the items of the row that the
  // first one is.
  Tensor over(const std::vector<Expr>& indices, const std::vector<Expr>& shape,
              const std::string& name, ValueId value, const Fusion::FoldRequest* fold,
              const Place& at) {
    const auto is_ragged = [&](Expr extent) { return rows_of_length(fusion_, extent).has_value(); };
    const auto items = std::ranges::find_if(shape, is_ragged);
    if (items == shape.end()) {
      return fold == nullptr ? fusion_.compute(name, indices, shape, value)
                             : fusion_.compute_fold(name, indices, shape, *fold, value);
    }
    const RowsId rows = *rows_of_length(fusion_, *items);
    if (items != shape.begin() + 1 || !same(shape[0], fusion_.domains()[rows].count)) {
      refuse("E520", at, name + " has items of rows, and no row right before them",
             "write the row and its item first, such as y[b, j, d]");
    }
    if (fold != nullptr && fold->scanned.valid()) {
      refuse("E520", at, name + " has items of rows, and is a scan",
             "scan a tensor whose rows are padded: fill(x[b, j], 0)");
    }
    return compute_ragged(fusion_, name, rows, indices, {shape.begin() + 2, shape.end()},
                          {fusion_, value}, {}, fold);
  }

  const std::vector<Expr>& indices() const { return indices_.of_target(); }
  std::string unused(const std::string& name) const { return names_.unused(name); }
  Place place(std::size_t at) const { return place_in(text_, at); }

 private:
  // The extents that are said, sum[p < 3](...).
  void set_extents(const std::vector<Formula::Index>& said, const std::vector<Expr>& indices) {
    for (std::size_t k = 0; k < said.size(); ++k) {
      if (!said[k].extent) continue;
      const Place at = place(formula_.nodes[*said[k].extent].at);
      at_place<BadInput>(at, [&] {
        const Expr extent = subscripts_.sum_of_sizes(*said[k].extent);
        indices_.set(indices[k], sizes_.extent(extent, at, "the extent of " + said[k].name));
      });
    }
  }
  // Where an index stands alone on an axis of a tensor that there is.
  void note_extents(const FormulaNode& node) {
    const auto source =
        node.kind == Kind::Element ? fusion_.find(node.name) : std::optional<TensorId>();
    if (!source) return;
    const std::vector<Expr> extents = StatementReads::shape_of_read(fusion_, node, *source);
    for (std::size_t axis = 0; axis < std::min(extents.size(), node.operands.size()); ++axis) {
      const FormulaNode& whole = formula_.nodes[node.operands[axis]];
      const bool is_safe = StatementReads::has_safe_mode(whole);
      const FormulaNode& lone = is_safe ? formula_.nodes[whole.operands[0]] : whole;
      if (lone.kind != Kind::Name) continue;
      const Expr index = indices_.find(lone);
      if (index.valid()) indices_.note(index, extents[axis], node.is_filled || is_safe);
    }
  }

  // A part of a subscript that is made of loads: computed in int64, as a value.
  ValueId loaded_value(const FormulaNode& node) {
    ValueGraph& values = fusion_.values();
    if (node.kind == Kind::Element) {
      check_index(fusion_[names_.source_of(node)].type);
      return values.cast(reads_.read(number_, node), DataType::Int64);
    }
    if (node.kind == Kind::Remap) return values_[node.operands[0]];  // the axis says the rest
    subscripts_.refuse_inner_modes(node);
    const Function f = node.function;
    const bool is_known = f == Function::Add || f == Function::Sub || f == Function::Neg ||
                          f == Function::Mul || f == Function::FloorDiv || f == Function::Mod;
    if (node.kind != Kind::Apply || !is_known) subscripts_.not_affine(node);
    std::vector<ValueId> operands;
    for (std::uint32_t k : node.operands) {
      const bool is_value = formula_.nodes[k].is_loaded;
      operands.push_back(is_value ? values_[k] : values.index(subscripts_[k]));
    }
    return values.apply(f, std::move(operands));
  }

  ValueId element_value(const FormulaNode& node) {
    ValueGraph& values = fusion_.values();
    std::vector<ValueId> operands;
    if (node.kind == Kind::Apply || node.kind == Kind::Cast) {
      for (std::uint32_t k : node.operands) operands.push_back(values_[k]);
    }
    switch (node.kind) {
      case Kind::Integer: return values.whole(node.integer);
      case Kind::Real: return values.constant(DataType::Float, node.real, true);
      case Kind::Truth: return values.constant(DataType::Bool, node.integer, true);
      case Kind::Name: {
        if (const Expr e = names_.symbol(node); e.valid()) return values.index(e);
        if (names_.is_scalar(node.name)) return reads_.read(number_, node);
        const std::optional<double> special = parse_special_number(node.name);
        if (!special || names_.is_tensor(node.name)) names_.refuse_name(node, true);
        return values.constant(DataType::Float, *special, true);
      }
      case Kind::Element: return reads_.read(number_, node);
      case Kind::Fill: return reads_.fill(number_);
      case Kind::Fold: return folded(node);
      case Kind::Apply: {
        const ValueId last = operands.back();
        const ValueId v =
            checks_.of_division(number_, last, values.apply(node.function, std::move(operands)));
        if (node.is_fast) values.make_fast(v);
        return v;
      }
      case Kind::Cast: return values.cast(operands[0], node.type);
      case Kind::Neutral: {
        const DataType type = values[values_[node.operands[0]]].type;
        return values.cast(constant_of(values, identity(node.how, type)), type);
      }
      case Kind::Compact:
      case Kind::Complex:
      case Kind::Remap: break;
    }
    SELVAGE_CHECK(!"a value");
  }

  // Brings an index that runs over the items of rows right behind that of the rows, in front.
  void put_items_second(std::vector<Expr>& indices, std::vector<Expr>& extents) const {
    const auto is_ragged = [&](Expr extent) { return rows_of_length(fusion_, extent).has_value(); };
    const auto items = std::size_t(std::ranges::find_if(extents, is_ragged) - extents.begin());
    if (items == extents.size()) return;
    const Expr count = fusion_.domains()[*rows_of_length(fusion_, extents[items])].count;
    const auto is_row = [&](Expr extent) { return same(extent, count); };
    const auto row = std::size_t(std::ranges::find_if(extents, is_row) - extents.begin());
    if (row >= items) return;
    for (std::vector<Expr>* list : {&indices, &extents}) {
      const auto begin = list->begin();
      std::rotate(begin + std::ptrdiff_t(row) + 1, begin + std::ptrdiff_t(items),
                  begin + std::ptrdiff_t(items) + 1);
      std::rotate(begin, begin + std::ptrdiff_t(row), begin + std::ptrdiff_t(row) + 2);
    }
  }

  // A tensor of its own for a reduction that something is done with: y_sum, over the indices that
  // stand in it.
  ValueId folded(const FormulaNode& node) {
    const Formula::Fold& fold = formula_.folds[node.fold];
    const std::string name = names_.unused(formula_.target + "_" + fold.name());
    const std::uint32_t operand = node.operands[0];
    std::vector<Expr> indices = indices_.inside(operand), extents;
    for (Expr i : indices) {
      extents.push_back(indices_.extent(i));
      if (extents.back().valid()) continue;
      refuse("E317", place(fold.at),
             "the extent of the index " + to_string(i) + " in " + fold.name() +
                 "(...) is not known" + indices_.why_unknown(i),
             "read a tensor at [" + to_string(i) + "]");
    }
    put_items_second(indices, extents);
    const Fusion::FoldRequest how = request(node.fold);
    if (fold.scanned && !contains(indices, how.scanned)) {
      refuse("E314", place(fold.scanned->at),
             fold.name() + " runs along " + fold.scanned->name + ", at which nothing in it is read",
             "name an index of what it takes in");
    }
    const Tensor t = over(indices, extents, name, values_[operand], &how, place(fold.at));
    if (const auto rows = fusion_[t.id()].items_of) return item(t, *rows, indices).in(fusion_);
    return fusion_.values().read(fusion_[t.id()].type, std::uint32_t(t.id()), indices);
  }

  const Formula& formula_;
  const Node& text_;
  Fusion& fusion_;
  SizeScope& sizes_;
  StatementIndices indices_;
  StatementNames names_;
  StatementSubscripts subscripts_;
  StatementChecks checks_;
  StatementReads reads_;
  std::uint32_t number_ = 0;     // of the node whose value is made
  std::vector<ValueId> values_;  // by node
};

}  // namespace

void make_tensor(const Formula& formula, const Node& text, StatementOutput* output,
                 std::span<const Formula> all, Fusion& fusion, SizeScope& sizes,
                 FileContext& context) {
  std::optional<std::vector<Expr>> asked;
  if (output != nullptr && output->shape) {
    asked.emplace();
    for (std::size_t k = 0; k < formula.indices.size(); ++k) {
      if (k == 1 && !output->offsets.empty()) {
        asked->push_back((*output->shape)[k]);
        continue;
      }
      asked->push_back(
          sizes.extent((*output->shape)[k], output->layout.place,
                       "the extent of " + formula.indices[k].name + " of " + formula.target));
    }
  }
  const bool is_moved = !formula.stored_at.empty();
  StatementBuilder builder(formula, text, is_moved ? std::nullopt : asked, all, fusion, sizes,
                           context);
  const ValueId value = builder.value();
  const auto at_indices = [&](const std::string& name) {
    std::optional<Fusion::FoldRequest> fold;
    if (formula.whole() != nullptr) fold = builder.request(formula.nodes.back().fold);
    return builder.over(builder.indices(), builder.shape(), name, value, fold ? &*fold : nullptr,
                        builder.place(formula.target_at));
  };
  const auto made = [&] {
    if (formula.is_compaction()) return builder.compacted();
    if (!is_moved) return at_indices(formula.target);
    std::optional<Tensor> old;
    if (const auto input = output == nullptr ? std::nullopt : fusion.find(output->in_place)) {
      old = Tensor(&fusion, *input);
    }
    const std::vector<Expr> shape =
        shape_of_moved(formula.target, formula.indices.size(), asked, old);
    return builder.moved(at_indices(builder.unused(formula.target + "_item")), shape, old);
  };
  at_place<BadInput>(builder.place(formula.target_at), [&] {
    const Tensor tensor = made();
    if (!formula.offsets.empty())
      fusion.edit(tensor.id()).items_of = rows_told_by(fusion, formula.offsets);
    if (output != nullptr && output->is_output) {
      make_output(formula, tensor, *output, fusion, sizes, context);
    }
  });
}

}  // namespace selvage
