#include <selvage/frontend/readers.h>
#include <selvage/frontend/stored_result.h>
#include <selvage/ir/sparse_product.h>

#include <algorithm>

namespace selvage {

namespace {

using Kind = FormulaNode::Kind;

class PartsWriter {
 public:
  PartsWriter(const Formula& from, const Node& text, const SparseTensors& sparse,
              const StorageFormat& format)
      : from_(from), text_(text), sparse_(sparse) {
    made_.stored = {from.target, format, {}, {}};
  }

  StoredResult write() {
    if (from_.indices.size() != 2 || !from_.stored_at.empty() || from_.is_compaction()) {
      refuse_at(from_.target_at, from_.target + " is stored sparse, and no matrix",
                "write " + from_.target + "[i, j] = ...");
    }
    made_.formula = from_;
    made_.formula.nodes.clear();
    const std::vector<bool> wanted = find_wanted();
    if (made_.parts.empty()) {
      refuse_at(from_.target_at,
                from_.target + " is stored sparse, and is made of no sparse matrix",
                "leave its format out");
    }
    drop_folds();
    std::vector<bool> vanishes;
    for (std::uint32_t k = 0; k < from_.nodes.size(); ++k) {
      numbers_.push_back(0);
      vanishes.push_back(false);
      if (!wanted[k]) continue;
      numbers_[k] = copied(k);
      vanishes[k] = part_of_.contains(k) || is_0_of_0(from_.nodes[k], vanishes);
    }
    for (auto* list : lists()) {
      for (Formula::Index& index : *list) {
        if (index.extent) index.extent = numbers_[*index.extent];
      }
    }
    if (!vanishes.back()) {
      refuse_at(from_.nodes.back().at,
                from_.target + " is stored sparse, and is not known to be 0 where no item of " +
                    names() + " is",
                "write sums, products and functions that are 0 at 0; or leave its format out");
    }
    return std::move(made_);
  }

 private:
  [[noreturn]] void refuse_at(std::size_t at, const std::string& what,
                              const std::string& help) const {
    refuse("E520", place_in(text_, at), what, help);
  }

  std::vector<std::vector<Formula::Index>*> lists() {
    std::vector<std::vector<Formula::Index>*> all = {&made_.formula.indices};
    for (Formula::Fold& fold : made_.formula.folds) all.push_back(&fold.indices);
    return all;
  }

  std::string names() const {
    std::string all;
    for (const ResultPart& part : made_.parts) {
      all += (all.empty() ? "" : " or ") + part.values + (part.times.empty() ? "" : " * ") +
             part.times;
    }
    return all;
  }

  // The nodes that are left when parts stand in the place of what they are made of.
  std::vector<bool> find_wanted() {
    std::vector<bool> wanted(from_.nodes.size(), false);
    wanted.back() = true;
    const auto want_extents = [&](const std::vector<Formula::Index>& indices) {
      for (const Formula::Index& index : indices) {
        if (index.extent) wanted[*index.extent] = true;
      }
    };
    want_extents(from_.indices);
    for (std::size_t k = from_.nodes.size(); k-- > 0;) {
      if (!wanted[k]) continue;
      const FormulaNode& node = from_.nodes[k];
      const bool is_sparse = node.may_read() && sparse_.contains(node.name);
      if (is_sparse) note(std::uint32_t(k), plain(node));
      if (node.kind == Kind::Fold && reads_sparse(node)) note(std::uint32_t(k), product(node));
      if (part_of_.contains(std::uint32_t(k))) continue;
      if (node.kind == Kind::Fold) want_extents(from_.folds[node.fold].indices);
      for (std::uint32_t operand : node.operands) wanted[operand] = true;
    }
    return wanted;
  }

  void note(std::uint32_t node, ResultPart part) {
    part_of_[node] = part.name;
    const auto is_it = [&](const ResultPart& p) { return p.name == part.name; };
    if (std::ranges::any_of(made_.parts, is_it)) return;
    const bool turned = part.is_transposed;
    const SparseTensor &first = sparse_.at(part.values),
                       &last = part.times.empty() ? first : sparse_.at(part.times);
    if (made_.parts.empty()) {
      made_.stored.rows = turned ? first.columns : first.rows;
      made_.stored.columns = turned ? first.rows : last.columns;
      whole_ = {first.matrix, turned, last.matrix};
    } else {
      alike(whole_.rows_of, !whole_.is_turned, first.matrix, !turned, part.at);
      alike(whole_.columns_of, whole_.is_turned, last.matrix, turned, part.at);
    }
    if (!part.times.empty()) alike(first.matrix, false, last.matrix, true, part.at);
    made_.parts.push_back(std::move(part));
  }
  void alike(const std::string& a, bool rows_of_a, const std::string& b, bool rows_of_b,
             std::size_t at) {
    if (a == b && rows_of_a == rows_of_b) return;
    made_.alike.push_back({a, rows_of_a, b, rows_of_b, at});
  }

  // The names of two subscripts; nothing if it has others.
  std::optional<std::pair<std::string, std::string>> subscripts(const FormulaNode& node) const {
    const auto is_name = [&](std::uint32_t k) { return from_.nodes[k].kind == Kind::Name; };
    if (node.operands.size() != 2 || !std::ranges::all_of(node.operands, is_name)) return {};
    return std::pair(from_.nodes[node.operands[0]].name, from_.nodes[node.operands[1]].name);
  }

  void check_lists_items(const std::string& name, std::size_t at) const {
    const SparseTensor& tensor = sparse_.at(name);
    const StorageKind storage = tensor.format.storage;
    if (storage == StorageKind::Csr || storage == StorageKind::Csc || storage == StorageKind::Coo) {
      return;
    }
    refuse_at(at,
              name + " is " + to_string(tensor.format) + ", which has no list of the items that " +
                  from_.target + " takes from it",
              "store " + tensor.matrix + " as csr, csc or coo");
  }

  ResultPart plain(const FormulaNode& read) const {
    const std::string &i = from_.indices[0].name, &j = from_.indices[1].name;
    const auto own = subscripts(read);
    const bool is_turned = own == std::pair(j, i);
    if (own != std::pair(i, j) && !is_turned) {
      refuse_at(read.at,
                read.name + " is sparse, and " + from_.target + "[" + i + ", " + j +
                    "], which is stored sparse, takes it at other indices",
                "write " + read.name + "[" + i + ", " + j + "] or " + read.name + "[" + j + ", " +
                    i + "]");
    }
    check_lists_items(read.name, read.at);
    return {from_.target + "_" + read.name + (is_turned ? "_t" : ""),
            read.name,
            {},
            is_turned,
            read.at};
  }

  bool reads_sparse(const FormulaNode& fold) const {
    std::vector<std::uint32_t> open = fold.operands;
    while (!open.empty()) {
      const FormulaNode& node = from_.nodes[open.back()];
      open.pop_back();
      if (node.may_read() && sparse_.contains(node.name)) return true;
      open.insert(open.end(), node.operands.begin(), node.operands.end());
    }
    return false;
  }

  // sum[j](A[i, j] * B[j, k])
  ResultPart product(const FormulaNode& fold) const {
    const Formula::Fold& own = from_.folds[fold.fold];
    const FormulaNode& folded = from_.nodes[fold.operands[0]];
    const std::string &i = from_.indices[0].name, &k = from_.indices[1].name;
    const bool is_product = own.how == Reduction::Sum && !own.scanned && own.indices.size() == 1 &&
                            folded.kind == Kind::Apply && folded.function == Function::Mul;
    for (const bool is_turned : {false, true}) {
      if (!is_product) break;
      const FormulaNode &a = from_.nodes[folded.operands[is_turned ? 1 : 0]],
                        &b = from_.nodes[folded.operands[is_turned ? 0 : 1]];
      const std::string& j = own.indices[0].name;
      const bool are_sparse =
          a.may_read() && sparse_.contains(a.name) && b.may_read() && sparse_.contains(b.name);
      if (!are_sparse || subscripts(a) != std::pair(i, j) || subscripts(b) != std::pair(j, k)) {
        continue;
      }
      for (const FormulaNode* m : {&a, &b}) {
        if (sparse_.at(m->name).format.storage != StorageKind::Csc) {
          check_lists_items(m->name, m->at);
          continue;
        }
        refuse_at(m->at,
                  m->name +
                      " is csc, and the product of two sparse matrices goes through "
                      "their rows",
                  "store " + sparse_.at(m->name).matrix + " as csr or coo");
      }
      return {from_.target + "_" + a.name + "_" + b.name, a.name, b.name, false, a.at};
    }
    refuse_at(fold.at,
              "this " + own.name() +
                  " of sparse matrices is no product of two, which is all that "
                  "a result that is stored sparse can fold",
              "write sum[j](A[" + i + ", j] * B[j, " + k +
                  "]), and compute what else belongs to A or B at its items before");
  }

  // Those that parts stand for.
  void drop_folds() {
    std::vector<std::optional<std::size_t>> fold_numbers;
    std::vector<Formula::Fold> left;
    for (std::size_t f = 0; f < from_.folds.size(); ++f) {
      const auto is_dropped = [&](const auto& part) {
        const FormulaNode& node = from_.nodes[part.first];
        return node.kind == Kind::Fold && node.fold == f;
      };
      fold_numbers.emplace_back();
      if (std::ranges::any_of(part_of_, is_dropped)) continue;
      fold_numbers.back() = left.size();
      left.push_back(from_.folds[f]);
    }
    for (Formula::Fold& fold : left) {
      if (fold.outer) fold.outer = fold_numbers[*fold.outer];
    }
    made_.formula.folds = std::move(left);
    fold_numbers_ = std::move(fold_numbers);
  }

  std::uint32_t copied(std::uint32_t k) {
    FormulaNode node = from_.nodes[k];
    if (node.inside) node.inside = fold_numbers_[*node.inside];
    const auto part = part_of_.find(k);
    if (part != part_of_.end()) {
      FormulaNode read{.kind = Kind::Element, .at = node.at, .name = part->second};
      read.inside = node.inside;
      for (const Formula::Index& index : from_.indices) {
        FormulaNode name{.kind = Kind::Name, .at = node.at, .name = index.name};
        name.in_subscript = true;
        name.inside = node.inside;
        read.operands.push_back(add(std::move(name)));
      }
      return add(std::move(read));
    }
    if (node.kind == Kind::Fold) node.fold = fold_numbers_[node.fold].value();
    for (std::uint32_t& operand : node.operands) operand = numbers_[operand];
    return add(std::move(node));
  }
  std::uint32_t add(FormulaNode node) {
    made_.formula.nodes.push_back(std::move(node));
    return std::uint32_t(made_.formula.nodes.size() - 1);
  }

  // Whether a node is 0 where the operands are 0 that are said to be.
  bool is_0_of_0(const FormulaNode& node, const std::vector<bool>& vanishes) const {
    const auto is_0 = [&](std::size_t k) { return bool(vanishes[node.operands[k]]); };
    if (node.kind == Kind::Integer) return node.integer == 0;
    if (node.kind == Kind::Real) return node.real == 0;
    if (node.kind == Kind::Cast) return is_0(0);
    if (node.kind == Kind::Fold) return from_.folds[node.fold].how == Reduction::Sum && is_0(0);
    if (node.kind != Kind::Apply) return false;
    const auto is_one_of = [&](std::initializer_list<Function> some) {
      return std::ranges::find(some, node.function) != some.end();
    };
    if (is_one_of({Function::Mul, Function::And})) return is_0(0) || is_0(1);
    if (is_one_of({Function::Add, Function::Sub, Function::Max, Function::Min, Function::Or})) {
      return is_0(0) && is_0(1);
    }
    if (node.function == Function::Select) return is_0(1) && is_0(2);
    if (node.function == Function::TrueDiv) {
      const FormulaNode& by = from_.nodes[node.operands[1]];
      return is_0(0) && ((by.kind == Kind::Integer && by.integer != 0) ||
                         (by.kind == Kind::Real && by.real != 0));
    }
    return is_one_of({Function::Neg, Function::Abs, Function::Relu, Function::Sqrt, Function::Sin,
                      Function::Tanh}) &&
           is_0(0);
  }

  // The matrices that tell how many rows and columns the result has.
  struct Whole {
    std::string rows_of;
    bool is_turned = false;
    std::string columns_of;
  };

  const Formula& from_;
  const Node& text_;
  const SparseTensors& sparse_;
  std::map<std::uint32_t, std::string> part_of_;  // by node: the part in its place
  std::vector<std::optional<std::size_t>> fold_numbers_;
  std::vector<std::uint32_t> numbers_;
  Whole whole_;
  StoredResult made_;
};

}  // namespace

StoredResult stored_result(const Formula& formula, const Node& text, const SparseTensors& sparse,
                           const StorageFormat& format) {
  return PartsWriter(formula, text, sparse, format).write();
}

ScheduleFile::Sparse make_stored(const StoredResult& result, const SparseTensors& sparse,
                                 const std::map<std::string, ScheduleFile::Sparse>& matrices,
                                 Fusion& fusion, SizeScope& sizes) {
  const std::string& name = result.stored.matrix;
  const std::size_t first = fusion.size();
  const auto matrix = [&](const std::string& values) {
    const std::string& own = sparse.at(values).matrix;
    const ScheduleFile::Sparse& said = matrices.at(own);
    return SparseInput(own, said.format, said.rows, said.columns,
                       {&fusion, fusion.find(values).value()});
  };
  std::vector<ItemList> lists;
  Expr rows, columns;
  for (const ResultPart& part : result.parts) {
    const SparseInput a = matrix(part.values);
    Expr last = a.columns();
    if (part.times.empty()) {
      lists.push_back(part.is_transposed ? transposed(item_list(a)) : item_list(a));
    } else {
      const SparseInput b = matrix(part.times);
      last = b.columns();
      const SparseProducts all = products(a, b, part.name, sizes.use(part.name + kItemsSuffix));
      lists.push_back(item_list(all.rows, all.columns, all.values));
    }
    if (lists.size() > 1) continue;
    rows = part.is_transposed ? a.columns() : a.rows();
    columns = part.is_transposed ? a.rows() : last;
  }
  const bool by_columns = result.stored.format.storage == StorageKind::Csc;
  if (by_columns) {
    for (ItemList& list : lists) list = transposed(list);
  }
  const Coalesced made =
      coalesced(fusion, name, by_columns ? columns : rows, by_columns ? rows : columns, lists,
                sizes.use(name + kItemsSuffix));
  name_steps(fusion, first, name + "_step");
  for (std::size_t k = 0; k < lists.size(); ++k) {
    fusion.rename(made.values[k].id(), result.parts[k].name);
  }
  const char* within = by_columns ? kRowsSuffix : kColumnsSuffix;
  fusion.output(name + within, made.columns);
  fusion.edit(made.columns.id()).indexes = IndexPromise{by_columns ? rows : columns};
  if (result.stored.format.storage == StorageKind::Coo) {
    fusion.output(name + kRowsSuffix, made.rows_of_items);
  }
  return {result.stored.format, made.columns.type(), rows, columns};
}

}  // namespace selvage
