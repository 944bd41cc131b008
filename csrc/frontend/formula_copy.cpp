#include <selvage/frontend/formula_copy.h>

#include <algorithm>

namespace selvage {

std::uint32_t FormulaCopy::add(FormulaNode node) {
  to_.nodes.push_back(std::move(node));
  return std::uint32_t(to_.nodes.size() - 1);
}

std::uint32_t FormulaCopy::node(std::uint32_t number) {
  const auto made = nodes_.find(number);
  if (made != nodes_.end()) return made->second;
  std::optional<std::uint32_t> copy = in_place_of_(number);
  if (!copy) {
    FormulaNode node = from_.nodes[number];
    node.inside = fold(node.inside);
    if (node.kind == FormulaNode::Kind::Fold || node.kind == FormulaNode::Kind::Compact) {
      node.fold = fold(node.fold).value();
    }
    for (std::uint32_t& operand : node.operands) operand = this->node(operand);
    const auto is_loaded = [&](std::uint32_t o) { return to_.nodes[o].is_loaded; };
    if (node.in_subscript && node.kind != FormulaNode::Kind::Element) {
      node.is_loaded = node.is_loaded || std::ranges::any_of(node.operands, is_loaded);
    }
    copy = add(std::move(node));
  }
  nodes_.emplace(number, *copy);
  return *copy;
}

std::optional<std::size_t> FormulaCopy::fold(std::optional<std::size_t> number) {
  if (!number) return std::nullopt;
  const auto made = folds_.find(*number);
  if (made != folds_.end()) return made->second;
  Formula::Fold copy = from_.folds[*number];
  copy.outer = fold(copy.outer);
  copy.indices = indices(copy.indices);
  to_.folds.push_back(std::move(copy));
  return folds_[*number] = to_.folds.size() - 1;
}

std::vector<Formula::Index> FormulaCopy::indices(const std::vector<Formula::Index>& list) {
  std::vector<Formula::Index> copies = list;
  for (Formula::Index& index : copies) {
    if (index.extent) index.extent = node(*index.extent);
  }
  return copies;
}

}  // namespace selvage
