#include <selvage/frontend/readers.h>
#include <selvage/frontend/sparse_nodes.h>
#include <selvage/frontend/sparse_reads.h>
#include <selvage/frontend/sparse_statement.h>
#include <selvage/ir/sparse_input.h>

#include <algorithm>

namespace selvage {

namespace {

using Kind = FormulaNode::Kind;
using Names = std::vector<std::string>;

class ItemsWriter {
 public:
  ItemsWriter(const Formula& from, const Node& text, const SparseTensors& sparse)
      : from_(from), text_(text), sparse_(sparse), reads_(from, text, sparse) {}

  std::optional<SparseStatement> write() {
    if (reads_.matrices().empty()) return std::nullopt;
    find_result();
    made_.alike = reads_.alike();
    made_.formula = from_;
    made_.formula.nodes.clear();
    for (std::uint32_t k = 0; k < from_.nodes.size(); ++k) numbers_.push_back(copied(k));
    for (std::uint32_t& k : made_.formula.stored_at) k = numbers_[k];
    put_loops();
    for (auto* indices : all_indices()) {
      for (Formula::Index& i : *indices) {
        if (i.extent) i.extent = numbers_[*i.extent];
      }
    }
    if (parts_) put_whole();
    return std::move(made_);
  }

 private:
  using Matrix = SparseReads::Matrix;
  using Key = SparseReads::Key;
  using Binder = SparseReads::Binder;

  [[noreturn]] void refuse_at(std::size_t at, const std::string& what,
                              const std::string& help) const {
    refuse("E520", place_in(text_, at), what, help);
  }

  // What stands on the left at the two indices of a matrix has its items.
  void find_result() {
    const auto& left = from_.indices;
    for (const Matrix& m : reads_.matrices()) {
      if (m.is_looked_up) continue;
      const bool has_items = left.size() >= 2 && from_.stored_at.empty() &&
                             Key(left[0].name, Binder()) == m.row &&
                             Key(left[1].name, Binder()) == m.column;
      if (has_items) {
        items_ = &m;
        made_.items_of = m.tensor;
        made_.items_of->inner = left.size() - 2;
        continue;
      }
      const auto is_left = [&](const Key& index) {
        return !index.second && std::ranges::any_of(left, [&](const Formula::Index& i) {
          return i.name == index.first;
        });
      };
      const std::string name = m.tensor.matrix, stored = to_string(m.tensor.format);
      if (is_left(m.told())) refuse_told(m, is_left(m.known()));
      if (m.loops.has_parts() && is_left(m.row)) {
        if (!from_.stored_at.empty()) {
          refuse_at(from_.target_at,
                    name + " has the format " + stored + ", whose rows are in parts, and " +
                        from_.target + " is stored elsewhere at once",
                    "compute it in a statement of its own, and move it in the next one");
        }
        parts_ = &m;
      }
      if (from_.is_compaction() && fills_up(m.tensor.format)) {
        refuse_at(m.at, "compact would keep what only fills " + name + " up, as it is " + stored,
                  "store " + name + " as csr, csc or coo");
      }
    }
  }

  [[noreturn]] void refuse_told(const Matrix& m, bool is_other_left) const {
    const std::string index = m.told().first, name = m.tensor.matrix;
    const std::string format = to_string(m.tensor.format);
    if (is_other_left) {
      refuse_at(from_.target_at,
                from_.target + " stands at the items of " + name + " and is no matrix [" +
                    m.row.first + ", " + m.column.first + "]",
                "write " + from_.target + "[" + m.row.first + ", " + m.column.first +
                    "], which has the items of " + name);
    }
    const bool by_columns = m.loops.is_row_told;
    refuse_at(from_.target_at,
              from_.target + " is at " + index + ", of which only the items of " + name +
                  " tell: as " + format + " it is stored by " +
                  (by_columns ? "columns, and the items of a row lie apart"
                              : "rows, and the items of a column lie apart"),
              "store " + name + (by_columns ? " as csr or coo" : " as csc") +
                  (fills_up(m.tensor.format) ? ""
                                             : ", or convert it, C[i, j] = " + name +
                                                   "[i, j] and outputs: {C: {format: " +
                                                   (by_columns ? "csr" : "csc") + "}}") +
                  ", or compute a result at " + (by_columns ? m.column : m.row).first);
  }

  // ---- Lists of indices ----

  std::vector<std::vector<Formula::Index>*> all_indices() {
    std::vector<std::vector<Formula::Index>*> all = {&made_.formula.indices};
    for (Formula::Fold& fold : made_.formula.folds) all.push_back(&fold.indices);
    return all;
  }

  void put_loops() {
    const auto put = [&](std::vector<Formula::Index>& list, const Binder& binder) {
      std::vector<Formula::Index> loops;
      for (std::size_t k = 0; k < list.size(); ++k) {
        const Key index(list[k].name, binder);
        const Matrix* m = reads_.find(index);
        const bool begins_items = !binder && items_ != nullptr && k == 0;
        if (begins_items) m = items_;
        if (m == nullptr) {
          loops.push_back(list[k]);
          continue;
        }
        const Names& names = begins_items      ? m->loops.all
                             : m->row == index ? m->loops.of_row
                                               : m->loops.of_column;
        for (const std::string& name : names) {
          loops.push_back(names.size() == 1 ? list[k] : Formula::Index{name, list[k].at});
        }
        if (begins_items) ++k;  // the index of columns
      }
      list = std::move(loops);
    };
    put(made_.formula.indices, std::nullopt);
    for (std::size_t f = 0; f < made_.formula.folds.size(); ++f) {
      // The loops of both indices of a matrix that one fold goes over lie as in memory.
      auto& list = made_.formula.folds[f].indices;
      put(list, f);
      for (const Matrix& m : reads_.matrices()) {
        const bool are_both = m.row.second == Binder(f) && m.column.second == Binder(f);
        if (are_both && !m.is_looked_up) in_order(list, m.loops.all);
      }
    }
  }
  static void in_order(std::vector<Formula::Index>& list, const Names& names) {
    std::stable_sort(list.begin(), list.end(),
                     [&](const Formula::Index& a, const Formula::Index& b) {
                       return std::ranges::find(names, a.name) < std::ranges::find(names, b.name);
                     });
  }

  // Z[i, d] = Z_slices[i // C, i % C, d]
  void put_whole() {
    const Matrix& m = *parts_;
    Formula whole = from_;
    whole.nodes.clear();
    whole.folds.clear();
    whole.assertion.reset();
    made_.formula.target += parts_suffix(m.tensor.format);
    made_.formula.is_by_position = false;
    FormulaNode read{.kind = Kind::Element, .at = from_.target_at, .name = made_.formula.target};
    const auto add = [&](FormulaNode node) {
      node.at = from_.target_at;
      node.in_subscript = true;
      whole.nodes.push_back(std::move(node));
      return std::uint32_t(whole.nodes.size() - 1);
    };
    for (Formula::Index& index : whole.indices) {
      const std::uint32_t name = add({.kind = Kind::Name, .name = index.name});
      if (Key(index.name, Binder()) != m.row) {
        read.operands.push_back(name);
        continue;
      }
      const std::uint32_t height = add({.kind = Kind::Integer, .integer = m.tensor.format.height});
      for (Function f : {Function::FloorDiv, Function::Mod}) {
        read.operands.push_back(
            add({.kind = Kind::Apply, .function = f, .operands = {name, height}}));
      }
      index.extent = SparseNodes(whole.nodes, FormulaNode{.at = from_.target_at}, true)
                         .extent(m.tensor.rows, place_in(text_, from_.target_at));
    }
    whole.nodes.push_back(std::move(read));
    made_.whole = std::move(whole);
  }

  // ---- Values ----

  SparseNodes nodes(const FormulaNode& like, bool in_subscript) {
    return {made_.formula.nodes, like, in_subscript};
  }
  std::uint32_t add(FormulaNode node) {
    made_.formula.nodes.push_back(std::move(node));
    return std::uint32_t(made_.formula.nodes.size() - 1);
  }

  // A fold around the name may have an index that is called like a loop of the matrix.
  void check_sees_loops(const Matrix& m, const FormulaNode& name) const {
    const bool is_known = reads_.key(name) == m.known();
    for (const Key& loop : {m.known(), m.told()}) {
      if (is_known && loop == m.told()) continue;  // it is made of its own loops alone
      FormulaNode there = name;
      there.name = loop.first;
      if (reads_.key(there).second == loop.second) continue;
      refuse_at(name.at,
                name.name + " is told by the items of " + m.tensor.matrix + " at " + m.row.first +
                    " and " + m.column.first + ", and a fold around it has another index " +
                    loop.first,
                "rename the index of that fold");
    }
  }

  std::uint32_t copied(std::uint32_t k) {
    if (reads_.stands_in_matrix(k)) return 0;  // a read of a matrix makes its own
    FormulaNode node = from_.nodes[k];
    if (node.kind == Kind::Name) {
      if (const Matrix* m = reads_.find(reads_.key(node))) {
        check_sees_loops(*m, node);
        SparseNodes make = nodes(node, node.in_subscript);
        return m->row == reads_.key(node) ? make.row(m->tensor, m->loops)
                                          : make.column(m->tensor, m->loops);
      }
    }
    const bool is_of_rows = node.may_read() && !node.is_by_position;
    if (is_of_rows && sparse_.contains(node.name)) return read_of_matrix(node);
    for (std::uint32_t& operand : node.operands) operand = numbers_[operand];
    const auto is_loaded = [&](std::uint32_t o) { return made_.formula.nodes[o].is_loaded; };
    if (node.in_subscript && node.kind != Kind::Element) {
      node.is_loaded = node.is_loaded || std::ranges::any_of(node.operands, is_loaded);
    }
    if (node.kind == Kind::Element) keep_inside(node, from_.nodes[k]);
    if (node.kind == Kind::Fold) leave_out_filling(node);
    return add(std::move(node));
  }

  std::uint32_t read_of_matrix(FormulaNode node) {
    const Key row = reads_.key(from_.nodes[node.operands[0]]),
              column = reads_.key(from_.nodes[node.operands[1]]);
    const std::string& matrix = sparse_.at(node.name).matrix;
    const auto is_it = [&](const Matrix& m) {
      return m.tensor.matrix == matrix && m.row == row && m.column == column;
    };
    const Matrix& m = *std::ranges::find_if(reads_.matrices(), is_it);
    if (m.is_looked_up) return looked_up(m, std::move(node));
    SparseNodes make = nodes(node, true);
    const std::vector<std::uint32_t> inner = subscripts_behind(node);
    node.operands.clear();
    for (const std::string& name : m.loops.all) node.operands.push_back(make.loop(name));
    node.operands.insert(node.operands.end(), inner.begin(), inner.end());
    return add(std::move(node));
  }
  // Of the dense axes behind those of the matrix.
  std::vector<std::uint32_t> subscripts_behind(const FormulaNode& read) const {
    std::vector<std::uint32_t> made;
    for (std::size_t k = 2; k < read.operands.size(); ++k) {
      made.push_back(numbers_[read.operands[k]]);
    }
    return made;
  }

  // The sum of the items that have the index which another matrix tells.
  std::uint32_t looked_up(const Matrix& m, FormulaNode node) {
    const Matrix& teller = *reads_.find(m.told());
    Formula::Fold fold{.how = Reduction::Sum, .at = node.at};
    fold.outer = node.inside;
    fold.is_named = true;
    const std::string own =
        free_name(m.told().first, [&](const std::string& name) { return reads_.is_used(name); });
    fold.indices = {{own, node.at}};
    node.inside = made_.formula.folds.size();
    node.fold = made_.formula.folds.size();
    made_.formula.folds.push_back(std::move(fold));
    const Names loops = {m.known().first, own};
    SparseNodes make = nodes(node, false);
    const bool of_rows = m.loops.is_row_told;
    const std::uint32_t index =
        make.element(m.tensor.matrix + (of_rows ? kRowsSuffix : kColumnsSuffix), loops);
    const std::uint32_t wanted =
        of_rows ? make.row(teller.tensor, teller.loops) : make.column(teller.tensor, teller.loops);
    const std::uint32_t is_it = make.apply(Function::Eq, index, wanted);
    const std::uint32_t value = make.element(node.name, loops);
    for (std::uint32_t k : subscripts_behind(node)) {
      made_.formula.nodes[value].operands.push_back(k);
    }
    FormulaNode select{.kind = Kind::Apply,
                       .at = node.at,
                       .function = Function::Select,
                       .operands = {is_it, value, make.integer(0)}};
    select.inside = node.inside;
    const std::uint32_t selected = add(std::move(select));
    FormulaNode sum{.kind = Kind::Fold, .at = node.at, .operands = {selected}, .fold = node.fold};
    sum.inside = made_.formula.folds[node.fold].outer;
    return add(std::move(sum));
  }

  // An index that is a whole subscript and is no loop any more is clamped, which changes none of an
  // item.
  void keep_inside(FormulaNode& node, const FormulaNode& before) {
    for (std::size_t axis = 0; axis < node.operands.size(); ++axis) {
      const FormulaNode& name = from_.nodes[before.operands[axis]];
      if (name.kind != Kind::Name) continue;
      const Matrix* m = reads_.find(reads_.key(name));
      if (m == nullptr) continue;
      const bool is_row = m->row == reads_.key(name);
      const bool is_loop = m->known() == reads_.key(name) && !(is_row && m->loops.has_parts());
      if (is_loop) continue;
      made_.uses.push_back({m->tensor.matrix, is_row, node.name, axis, name.at});
      FormulaNode clamped = made_.formula.nodes[node.operands[axis]];
      clamped.kind = Kind::Remap;
      clamped.name.clear();
      clamped.remap = Remap::Clamped;
      clamped.operands = {node.operands[axis]};
      node.operands[axis] = add(std::move(clamped));
    }
  }

  // A fold takes in what leaves it as it is where there is no item, or no row any more: the last
  // slice and the last row of blocks may go on beyond all rows.
  void leave_out_filling(FormulaNode& fold) {
    const Formula::Fold& own = from_.folds[fold.fold];
    for (const Matrix& m : reads_.matrices()) {
      const bool folds_items = !m.is_looked_up && m.told().second == Binder(fold.fold);
      const bool folds_rows =
          m.loops.has_parts() && m.tensor.format.height > 1 && m.row.second == Binder(fold.fold);
      if (!folds_items && !folds_rows) continue;
      FormulaNode like = from_.nodes[operand_of(fold)];
      like.inside = fold.fold;
      const bool may_fill = folds_rows || fills_up(m.tensor.format);
      if (may_fill && counts_items(own.how)) {
        refuse_at(own.at,
                  own.name() + " would count what only fills " + m.tensor.matrix +
                      " up, as it is " + to_string(m.tensor.format),
                  "store " + m.tensor.matrix + " as csr, csc or coo");
      }
      SparseNodes make = nodes(like, false);
      const Place at = place_in(text_, like.at);
      std::optional<std::uint32_t> condition;
      if (folds_items) condition = make.is_item(m.tensor, m.loops, at);
      if (folds_rows) {
        const std::uint32_t row = make.row(m.tensor, m.loops);
        const std::uint32_t is_row = make.apply(Function::Lt, row, make.extent(m.tensor.rows, at));
        condition = condition ? make.apply(Function::And, *condition, is_row) : is_row;
      }
      if (!condition) continue;
      FormulaNode neutral{.kind = Kind::Neutral, .at = like.at, .operands = fold.operands};
      neutral.how = own.how;
      neutral.inside = like.inside;
      const std::uint32_t none = add(std::move(neutral));
      FormulaNode select{.kind = Kind::Apply,
                         .at = like.at,
                         .function = Function::Select,
                         .operands = {*condition, fold.operands[0], none}};
      select.inside = like.inside;
      fold.operands = {add(std::move(select))};
    }
  }
  // The operand of a fold in the formula as it was.
  std::uint32_t operand_of(const FormulaNode& fold) const {
    const auto is_it = [&](const FormulaNode& n) {
      return n.kind == Kind::Fold && n.fold == fold.fold;
    };
    return std::ranges::find_if(from_.nodes, is_it)->operands[0];
  }

  const Formula& from_;
  const Node& text_;
  const SparseTensors& sparse_;
  SparseReads reads_;
  const Matrix* items_ = nullptr;  // the one whose items the result has
  const Matrix* parts_ = nullptr;  // the one by whose parts of rows the result is computed
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
