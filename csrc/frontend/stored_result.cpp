#include <selvage/frontend/formula_copy.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/stored_result.h>
#include <selvage/ir/sparse_product.h>

#include <algorithm>
#include <optional>
#include <set>

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
    made_.formula.folds.clear();
    FormulaCopy copy(from_, made_.formula, [&](std::uint32_t k) { return in_place_of(k); });
    copy_ = &copy;
    made_.formula.indices = copy.indices(from_.indices);
    copy.node(std::uint32_t(from_.nodes.size() - 1));
    copy_ = nullptr;
    if (made_.parts.empty()) {
      refuse_at(from_.target_at,
                from_.target + " is stored sparse, and is made of no sparse matrix",
                "leave its format out");
    }
    std::vector<bool> vanishes;
    for (std::uint32_t k = 0; k < from_.nodes.size(); ++k) {
      vanishes.push_back(parts_.contains(k) || is_0_of_0(from_.nodes[k], vanishes));
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

  std::string names() const {
    std::string all;
    for (const ResultPart& part : made_.parts) {
      all += (all.empty() ? "" : " or ") + part.values + (part.times.empty() ? "" : " * ") +
             part.times;
    }
    return all;
  }

  // A part, in the place of what it is made of.
  std::optional<std::uint32_t> in_place_of(std::uint32_t k) {
    const FormulaNode& node = from_.nodes[k];
    std::optional<ResultPart> part;
    if (node.may_read() && sparse_.contains(node.name)) part = plain(node);
    if (node.kind == Kind::Fold && reads_sparse(node)) part = product(node);
    if (!part) return std::nullopt;
    parts_.insert(k);
    FormulaNode read{.kind = Kind::Element, .at = node.at, .name = part->name};
    read.inside = copy_->fold(node.inside);
    for (const Formula::Index& index : from_.indices) {
      FormulaNode name{.kind = Kind::Name, .at = node.at, .name = index.name};
      name.in_subscript = true;
      name.inside = read.inside;
      read.operands.push_back(copy_->add(std::move(name)));
    }
    note(*std::move(part));
    return copy_->add(std::move(read));
  }

  void note(ResultPart part) {
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
  std::set<std::uint32_t> parts_;  // nodes in whose place parts stand
  FormulaCopy* copy_ = nullptr;
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
