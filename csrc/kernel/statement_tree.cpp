#include <selvage/kernel/statement_tree.h>
#include <selvage/kernel/statements.h>

namespace selvage {

StatementTree::StatementTree(const Kernel& kernel)
    : kernel_(&kernel), body_(number(kernel.body, kTop)) {}

std::vector<PlaceId> StatementTree::number(const Body& body, PlaceId parent) {
  std::vector<PlaceId> children;
  for (const Statement& s : body) {
    const auto id = PlaceId(nodes_.size());
    const StatementParts parts = parts_of(s);
    nodes_.push_back({&s, parent, parts.variable});
    children.push_back(id);
    const Few<const Body*, 2>& inner = parts.bodies;
    for (std::size_t i = 0; i < inner.size(); ++i) {
      std::vector<PlaceId> inside = number(*inner[i], id);
      (i == 0 ? nodes_[id].body : nodes_[id].otherwise) = std::move(inside);
    }
  }
  return children;
}

}  // namespace selvage
