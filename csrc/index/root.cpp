#include <selvage/base/check.h>
#include <selvage/index/coordinates.h>
#include <selvage/index/root.h>

namespace selvage {

std::vector<Expr> root_coordinates(const DomainGraph& graph, const TensorInfo& tensor,
                                   std::span<const Expr> logical, Simplifier& simplifier) {
  SELVAGE_CHECK(logical.size() == tensor.logical.size());
  if (tensor.root.empty()) return {logical.begin(), logical.end()};
  const Path all = everything_from(graph, tensor.logical, {});
  const Path path = needed_for(graph, all, tensor.logical, tensor.root);
  const Coordinates at(graph, path, tensor.logical, logical, simplifier);
  std::vector<Expr> root;
  for (DomainId d : tensor.root) {
    SELVAGE_CHECK(reaches(path, d));
    root.push_back(at[d]);
  }
  return root;
}

}  // namespace selvage
