#pragma once

#include <selvage/frontend/formula.h>
#include <selvage/frontend/sparse_loops.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace selvage {

// Appends nodes to a formula that stand in the place of one, `like`: what the loops of a format
// tell of rows and columns. Each function returns the number of its node.
class SparseNodes {
  using Kind = FormulaNode::Kind;

 public:
  SparseNodes(std::vector<FormulaNode>& nodes, FormulaNode like, bool in_subscript)
      : nodes_(nodes), like_(std::move(like)), in_subscript_(in_subscript) {}

  std::uint32_t integer(std::int64_t n);
  std::uint32_t loop(const std::string& name);
  std::uint32_t apply(Function f, std::uint32_t a, std::uint32_t b);
  std::uint32_t element(const std::string& tensor, const std::vector<std::string>& loops);
  // An extent, as the file has it at that place or elsewhere.
  std::uint32_t extent(const std::string& text, const Place& at);

  // The row and the column at which the loops are.
  std::uint32_t row(const SparseTensor& matrix, const SparseLoops& loops);
  std::uint32_t column(const SparseTensor& matrix, const SparseLoops& loops);
  // That there is an item, where the format fills slots, diagonals or blocks up; nothing where
  // there always is one.
  std::optional<std::uint32_t> is_item(const SparseTensor& matrix, const SparseLoops& loops,
                                       const Place& at);

 private:
  std::uint32_t of_parts(std::uint32_t outer, std::int64_t size, std::uint32_t inner);
  std::uint32_t add(FormulaNode node);

  std::vector<FormulaNode>& nodes_;
  FormulaNode like_;
  bool in_subscript_;
};

}  // namespace selvage
