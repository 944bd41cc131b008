#include <selvage/frontend/readers.h>
#include <selvage/frontend/sparse_statement.h>

#include <algorithm>
#include <map>
#include <set>

namespace selvage {

namespace {

using Kind = FormulaNode::Kind;

// What binds an index: a fold by its number, or the left side.
using Binder = std::optional<std::size_t>;

class ItemsWriter {
 public:
  ItemsWriter(const Formula& from, const Node& text, const SparseTensors& sparse)
      : from_(from), text_(text), sparse_(sparse) {}

  std::optional<SparseStatement> write() {
    for (std::uint32_t k = 0; k < from_.nodes.size(); ++k) find_matrix(k);
    if (columns_.empty()) return std::nullopt;
    made_.formula = from_;
    made_.formula.nodes.clear();
    for (std::uint32_t k = 0; k < from_.nodes.size(); ++k) numbers_.push_back(copied(k));
    for (std::uint32_t& k : made_.formula.stored_at) k = numbers_[k];
    note_items_of_result();
    for (auto* indices : all_indices()) {
      for (Formula::Index& i : *indices) {
        if (i.extent) i.extent = numbers_[*i.extent];
      }
    }
    return std::move(made_);
  }

 private:
  struct Columns {
    std::string matrix;
    std::uint32_t row, item;  // the nodes at which it is read
  };

  // On the left, the row and the item of a matrix.
  void note_items_of_result() {
    const auto& indices = from_.indices;
    if (indices.size() != 2 || !from_.stored_at.empty()) return;
    const auto it = columns_.find({indices[1].name, Binder()});
    if (it == columns_.end() || from_.nodes[it->second.row].name != indices[0].name) return;
    made_.items_of = it->second.matrix;
  }

  std::vector<std::vector<Formula::Index>*> all_indices() {
    std::vector<std::vector<Formula::Index>*> all = {&made_.formula.indices};
    for (Formula::Fold& fold : made_.formula.folds) all.push_back(&fold.indices);
    return all;
  }

  [[noreturn]] void refuse_at(std::size_t at, const std::string& what,
                              const std::string& help) const {
    refuse("E520", place_in(text_, at), what, help);
  }

  Binder binder_of(const FormulaNode& name) const {
    for (Binder f = name.inside; f; f = from_.folds[*f].outer) {
      const auto is_it = [&](const Formula::Index& i) { return i.name == name.name; };
      if (std::ranges::any_of(from_.folds[*f].indices, is_it)) return f;
    }
    return std::nullopt;
  }
  std::pair<std::string, Binder> key(const FormulaNode& name) const {
    return {name.name, binder_of(name)};
  }

  void find_matrix(std::uint32_t k) {
    const FormulaNode& node = from_.nodes[k];
    if (!node.may_read() || !sparse_.contains(node.name)) return;
    const auto is_index = [&](std::uint32_t operand) {
      return from_.nodes[operand].kind == Kind::Name;
    };
    if (node.operands.size() != 2 || !std::ranges::all_of(node.operands, is_index)) {
      refuse_at(node.at, node.name + " is sparse, and read at other subscripts than two indices",
                "write " + node.name + "[i, j]");
    }
    const FormulaNode& item = from_.nodes[node.operands[1]];
    const std::string& matrix = sparse_.at(node.name);
    const auto [own, is_new] =
        columns_.try_emplace(key(item), Columns{matrix, node.operands[0], node.operands[1]});
    const bool is_same = own->second.matrix == matrix &&
                         from_.nodes[own->second.row].name == from_.nodes[node.operands[0]].name;
    if (!is_same) {
      refuse_at(item.at,
                "the index " + item.name + " runs over the items of a row of " +
                    own->second.matrix + ", and " + node.name + " is read at it as well",
                "read each sparse matrix at an index of its own");
    }
    own_.insert(node.operands[1]);
  }

  std::uint32_t add(FormulaNode node) {
    made_.formula.nodes.push_back(std::move(node));
    return std::uint32_t(made_.formula.nodes.size() - 1);
  }

  // The column of the item, in the place of a name.
  std::uint32_t column(const FormulaNode& name, const Columns& columns) {
    const auto index = [&](std::uint32_t k) {
      FormulaNode copy = from_.nodes[k];
      copy.inside = name.inside;
      copy.at = name.at;
      return add(std::move(copy));
    };
    const std::uint32_t row = index(columns.row), item = index(columns.item);
    return add({.kind = Kind::Element,
                .at = name.at,
                .name = columns.matrix + "_columns",
                .operands = {row, item},
                .in_subscript = name.in_subscript,
                .is_loaded = name.in_subscript,
                .inside = name.inside});
  }

  std::uint32_t copied(std::uint32_t k) {
    FormulaNode node = from_.nodes[k];
    if (node.kind == Kind::Name && !own_.contains(k)) {
      if (const auto it = columns_.find(key(node)); it != columns_.end()) {
        return column(node, it->second);
      }
    }
    for (std::uint32_t& operand : node.operands) operand = numbers_[operand];
    const auto is_loaded = [&](std::uint32_t o) { return made_.formula.nodes[o].is_loaded; };
    if (node.in_subscript && node.kind != Kind::Element) {
      node.is_loaded = node.is_loaded || std::ranges::any_of(node.operands, is_loaded);
    }
    if (node.kind == Kind::Element) keep_inside(node, from_.nodes[k]);
    return add(std::move(node));
  }

  // A column that is a whole subscript is clamped, which changes no column of a right matrix.
  void keep_inside(FormulaNode& node, const FormulaNode& before) {
    for (std::size_t axis = 0; axis < node.operands.size(); ++axis) {
      const FormulaNode& name = from_.nodes[before.operands[axis]];
      if (name.kind != Kind::Name || own_.contains(before.operands[axis])) continue;
      const auto it = columns_.find(key(name));
      if (it == columns_.end()) continue;
      made_.uses.push_back({it->second.matrix, node.name, axis, name.at});
      FormulaNode clamped = made_.formula.nodes[node.operands[axis]];
      clamped.kind = Kind::Remap;
      clamped.name.clear();
      clamped.remap = Remap::Clamped;
      clamped.operands = {node.operands[axis]};
      node.operands[axis] = add(std::move(clamped));
    }
  }

  const Formula& from_;
  const Node& text_;
  const SparseTensors& sparse_;
  std::map<std::pair<std::string, Binder>, Columns> columns_;
  std::set<std::uint32_t> own_;  // names that stand in a matrix, at its columns
  std::vector<std::uint32_t> numbers_;
  SparseStatement made_;
};

}  // namespace

std::optional<SparseStatement> over_stored_items(const Formula& formula, const Node& text,
                                                 const SparseTensors& sparse) {
  if (sparse.empty()) return std::nullopt;
  return ItemsWriter(formula, text, sparse).write();
}

}  // namespace selvage
