#include <selvage/frontend/made_nodes.h>
#include <selvage/frontend/sparse_nodes.h>

namespace selvage {

std::uint32_t SparseNodes::add(FormulaNode node) {
  node.at = like_.at;
  node.inside = like_.inside;
  node.in_subscript = in_subscript_;
  nodes_.push_back(std::move(node));
  return std::uint32_t(nodes_.size() - 1);
}

std::uint32_t SparseNodes::integer(std::int64_t n) {
  return add({.kind = Kind::Integer, .integer = n});
}

std::uint32_t SparseNodes::loop(const std::string& name) {
  return add({.kind = Kind::Name, .name = name});
}

std::uint32_t SparseNodes::apply(Function f, std::uint32_t a, std::uint32_t b) {
  FormulaNode node{.kind = Kind::Apply, .function = f, .operands = {a, b}};
  node.is_loaded = in_subscript_ && (nodes_[a].is_loaded || nodes_[b].is_loaded);
  return add(std::move(node));
}

std::uint32_t SparseNodes::element(const std::string& tensor,
                                   const std::vector<std::string>& loops) {
  FormulaNode node{.kind = Kind::Element, .name = tensor};
  SparseNodes subscripts(nodes_, like_, true);
  for (const std::string& l : loops) node.operands.push_back(subscripts.loop(l));
  node.is_loaded = in_subscript_;
  return add(std::move(node));
}

std::uint32_t SparseNodes::extent(const std::string& text, const Place& at) {
  const Formula extent = parse_formula(made_text("x = " + text, at));
  const auto first = std::uint32_t(nodes_.size());
  for (FormulaNode node : extent.nodes) {
    for (std::uint32_t& operand : node.operands) operand += first;
    node.at = like_.at;
    nodes_.push_back(std::move(node));
  }
  return std::uint32_t(nodes_.size() - 1);
}

// outer * size + inner
std::uint32_t SparseNodes::of_parts(std::uint32_t outer, std::int64_t size, std::uint32_t inner) {
  return apply(Function::Add, apply(Function::Mul, outer, integer(size)), inner);
}

std::uint32_t SparseNodes::row(const SparseTensor& matrix, const SparseLoops& loops) {
  if (loops.is_row_told) return element(matrix.matrix + kRowsSuffix, loops.all);
  if (!loops.has_parts()) return loop(loops.of_row[0]);
  const std::uint32_t outer = loop(loops.of_row[0]);
  return of_parts(outer, matrix.format.height, loop(loops.of_row[1]));
}

std::uint32_t SparseNodes::column(const SparseTensor& matrix, const SparseLoops& loops) {
  const std::string columns = matrix.matrix + kColumnsSuffix;
  switch (matrix.format.storage) {
    case StorageKind::Csc: return loop(loops.of_column[0]);
    case StorageKind::Csr:
    case StorageKind::Coo:
    case StorageKind::Ell:
    case StorageKind::Sell: return element(columns, loops.all);
    case StorageKind::Dia: {
      const std::uint32_t own = loop(loops.of_row[0]);
      return apply(Function::Add, own,
                   element(matrix.matrix + kDiagonalsSuffix, {loops.of_column[0]}));
    }
    case StorageKind::Bcsr: break;
  }
  const std::uint32_t block = element(columns, {loops.all[0], loops.all[1]});
  return of_parts(block, matrix.format.width, loop(loops.of_column[1]));
}

std::optional<std::uint32_t> SparseNodes::is_item(const SparseTensor& matrix,
                                                  const SparseLoops& loops, const Place& at) {
  const StorageKind storage = matrix.format.storage;
  const bool has_last_block = storage == StorageKind::Bcsr && matrix.format.width > 1;
  if (!fills_up(matrix.format) || (storage == StorageKind::Bcsr && !has_last_block)) {
    return std::nullopt;
  }
  std::optional<std::uint32_t> lower, upper;
  if (!has_last_block) {
    const std::uint32_t zero = integer(0);
    lower = apply(Function::Le, zero, column(matrix, loops));
  }
  if (has_last_block || storage == StorageKind::Dia) {
    const std::uint32_t own = column(matrix, loops);
    upper = apply(Function::Lt, own, extent(matrix.columns, at));
  }
  if (!lower || !upper) return lower ? lower : upper;
  return apply(Function::And, *lower, *upper);
}

}  // namespace selvage
