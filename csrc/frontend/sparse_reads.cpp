#include <selvage/frontend/readers.h>
#include <selvage/frontend/sparse_reads.h>

#include <algorithm>

namespace selvage {

namespace {

using Kind = FormulaNode::Kind;

// Items of it are found among those of one line, which both go through.
bool can_be_looked_up(const SparseReads::Matrix& m, const SparseReads::Matrix& teller) {
  return m.tensor.matrix == teller.tensor.matrix ||
         (!fills_up(m.tensor.format) && !teller.loops.has_parts() &&
          m.loops.is_row_told == teller.loops.is_row_told);
}

}  // namespace

SparseReads::SparseReads(const Formula& from, const Node& text, const SparseTensors& sparse)
    : from_(from), text_(text), sparse_(sparse) {
  for (std::uint32_t k = 0; k < from_.nodes.size(); ++k) find_matrix(k);
  for (std::uint32_t k : looked_up_) check_is_factor(k);
}

void SparseReads::refuse_at(std::size_t at, const std::string& what,
                            const std::string& help) const {
  refuse("E520", place_in(text_, at), what, help);
}

SparseReads::Key SparseReads::key_in(const Formula& formula, const FormulaNode& name) {
  Binder f = name.inside;
  for (; f; f = formula.folds[*f].outer) {
    const auto is_it = [&](const Formula::Index& i) { return i.name == name.name; };
    if (std::ranges::any_of(formula.folds[*f].indices, is_it)) break;
  }
  return {name.name, f};
}

const SparseReads::Matrix* SparseReads::find(const Key& index) const {
  const auto is_it = [&](const Matrix& m) {
    return !m.is_looked_up && (m.row == index || m.column == index);
  };
  const auto at = std::ranges::find_if(matrices_, is_it);
  return at == matrices_.end() ? nullptr : &*at;
}

bool SparseReads::is_used_in(const Formula& formula, const std::string& name) {
  const auto is_it = [&](const Formula::Index& i) { return i.name == name; };
  const auto is_node = [&](const FormulaNode& n) { return n.name == name; };
  const auto binds = [&](const Formula::Fold& fold) {
    return std::ranges::any_of(fold.indices, is_it);
  };
  return std::ranges::any_of(formula.indices, is_it) ||
         std::ranges::any_of(formula.nodes, is_node) || std::ranges::any_of(formula.folds, binds);
}

void SparseReads::find_matrix(std::uint32_t k) {
  const FormulaNode& node = from_.nodes[k];
  if (!node.may_read() || node.is_by_position || !sparse_.contains(node.name)) return;
  const auto is_index = [&](std::uint32_t operand) {
    return from_.nodes[operand].kind == Kind::Name;
  };
  const SparseTensor& tensor = sparse_.at(node.name);
  if (node.operands.size() != 2 + tensor.inner || !is_index(node.operands[0]) ||
      !is_index(node.operands[1])) {
    refuse_at(node.at, node.name + " is sparse, and read at other subscripts than two indices",
              "write " + node.name + "[i, j]");
  }
  const FormulaNode &row = from_.nodes[node.operands[0]], &column = from_.nodes[node.operands[1]];
  const auto is_used = [&](const std::string& name) { return this->is_used(name); };
  Matrix matrix{tensor, sparse_loops(tensor.format, row.name, column.name, is_used), key(row),
                key(column), node.at};
  own_.insert(node.operands.begin(), node.operands.begin() + 2);
  for (const Matrix& other : matrices_) {
    const bool is_at_same = other.row == matrix.row && other.column == matrix.column;
    if (is_at_same && can_be_looked_up(matrix, other)) {
      if (other.tensor.matrix == tensor.matrix && !other.is_looked_up) return;
      matrix.is_looked_up = true;
    }
  }
  for (const Matrix& other : matrices_) note_alike(matrix, other, node.at);
  if (matrix.is_looked_up) looked_up_.push_back(k);
  for (const Matrix& other : matrices_) {
    const bool is_same = other.tensor.matrix == tensor.matrix && other.row == matrix.row &&
                         other.column == matrix.column;
    if (is_same) return;
    if (!matrix.is_looked_up) check_apart(other, matrix, node);
  }
  matrices_.push_back(std::move(matrix));
}

// An index at which two matrices are read runs as far in both.
void SparseReads::note_alike(const Matrix& m, const Matrix& other, std::size_t at) {
  if (m.tensor.matrix == other.tensor.matrix) return;
  for (const bool of_rows : {true, false}) {
    const Key& index = of_rows ? m.row : m.column;
    for (const bool of_other_rows : {true, false}) {
      if ((of_other_rows ? other.row : other.column) != index) continue;
      alike_.push_back({other.tensor.matrix, of_other_rows, m.tensor.matrix, of_rows, at});
    }
  }
}

// Where the first matrix has no item, a product with it is 0, and nothing else is.
void SparseReads::check_is_factor(std::uint32_t read) const {
  const auto is_of_product = [&](const FormulaNode& n) {
    return n.kind == Kind::Cast ||
           (n.kind == Kind::Apply && (n.function == Function::Mul || n.function == Function::Neg));
  };
  std::uint32_t product = read;
  for (std::uint32_t k = read + 1; k < from_.nodes.size(); ++k) {
    const FormulaNode& n = from_.nodes[k];
    if (is_of_product(n) && std::ranges::count(n.operands, product) != 0) product = k;
  }
  const std::vector<std::uint32_t>& at = from_.nodes[read].operands;
  const auto tells = [&](const Matrix& m) {
    return !m.is_looked_up && m.row == key(from_.nodes[at[0]]) &&
           m.column == key(from_.nodes[at[1]]);
  };
  const auto teller = std::ranges::find_if(matrices_, tells);
  std::vector<std::uint32_t> open = {product};
  while (!open.empty()) {
    const FormulaNode& n = from_.nodes[open.back()];
    open.pop_back();
    if (is_of_product(n)) open.insert(open.end(), n.operands.begin(), n.operands.end());
    const bool is_matrix = n.may_read() && sparse_.contains(n.name);
    if (is_matrix && sparse_.at(n.name).matrix == teller->tensor.matrix) return;
  }
  const std::string &first = teller->tensor.matrix, &second = from_.nodes[read].name;
  refuse_at(from_.nodes[read].at,
            second + " is read at the items of " + first + ", and is no factor of " + first +
                " there: only a product is known to be 0 where " + first + " has no item",
            "write products such as " + first + "[i, j] * " + second +
                "[i, j]; or a fold of its own for each, read at an index of its own; or compute a "
                "sparse C[i, j] = " +
                first + "[i, j] + " + second + "[i, j] first, outputs: {C: {format: csr}}");
}

// Two matrices may share an index only where it is a loop of both as it is.
void SparseReads::check_apart(const Matrix& a, const Matrix& b, const FormulaNode& read) const {
  for (const Key& index : {b.row, b.column}) {
    if (index != a.row && index != a.column) continue;
    const auto is_loop = [&](const Matrix& m) {
      return m.known() == index && !m.loops.has_parts();
    };
    if (is_loop(a) && is_loop(b)) continue;
    const std::string& items = a.told() == index ? a.tensor.matrix : b.tensor.matrix;
    const bool is_told = a.told() == index || b.told() == index;
    const bool are_at_same = is_told && a.row == b.row && a.column == b.column;
    refuse_at(read.at,
              is_told
                  ? "the index " + index.first + " runs over the items of " + items + ", and " +
                        (a.tensor.matrix == items ? b : a).tensor.matrix + " is read at it as well"
                  : "the index " + index.first + " runs over parts of rows of " + a.tensor.matrix +
                        ", and " + read.name + " is read at it as well",
              are_at_same ? "store both by rows, as csr or coo, or both as csc"
              : is_told   ? "read each sparse matrix at an index of its own"
                          : "store both in a format whose rows are not in parts, such as csr");
  }
}

}  // namespace selvage
