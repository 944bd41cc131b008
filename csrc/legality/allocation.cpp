#include <selvage/base/refuse.h>
#include <selvage/index/coordinates.h>
#include <selvage/legality/allocation.h>

#include <algorithm>

namespace selvage {

const std::vector<DomainId>& allocation_of(const Fusion& fusion, TensorId t) {
  const TensorInfo& tensor = fusion[t];
  return tensor.allocation.empty() ? tensor.logical : tensor.allocation;
}

std::vector<Expr> strides_of(const Fusion& fusion, const DomainGraph& graph, TensorId t,
                             Simplifier& simplifier) {
  const std::vector<DomainId>& domains = allocation_of(fusion, t);
  std::vector<Expr> strides = fusion[t].strides;
  if (!strides.empty()) return strides;
  strides.resize(domains.size());
  Expr stride = fusion.pool().constant(1);
  for (std::size_t k = domains.size(); k-- > 0;) {
    strides[k] = stride;
    stride = simplifier.simplify(stride * graph[domains[k]].extent);
  }
  return strides;
}

Expr address_in(const Fusion& fusion, const DomainGraph& graph, TensorId t,
                std::span<const Expr> indices) {
  const std::vector<Expr>& strides = fusion[t].strides;
  const std::vector<DomainId>& domains = allocation_of(fusion, t);
  Expr address = fusion.pool().constant(0);
  for (std::size_t i = 0; i < domains.size(); ++i) {
    if (strides.empty()) {
      address = i == 0 ? indices[0] : address * graph[domains[i]].extent + indices[i];
    } else {
      const Expr part = indices[i] * strides[i];
      address = i == 0 ? part : address + part;
    }
  }
  return address;
}

std::vector<Expr> allocation_indices(const Fusion& fusion, const DomainGraph& graph, TensorId t,
                                     std::span<const Expr> indices) {
  const TensorInfo& tensor = fusion[t];
  if (tensor.allocation.empty() || tensor.allocation == tensor.logical) {
    return {indices.begin(), indices.end()};
  }
  const std::vector<Expr> coordinates =
      coordinates_from(graph, tensor.logical, indices, tensor.allocation);
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    if (!coordinates[i].valid()) {
      refuse_allocation(graph[tensor.allocation[i]].name, tensor.name, "its logical domain");
    }
  }
  return coordinates;
}

Expr address_of(const Fusion& fusion, const DomainGraph& graph, TensorId t,
                std::span<const Expr> indices) {
  return address_in(fusion, graph, t, allocation_indices(fusion, graph, t, indices));
}

Expr elements_of(const Fusion& fusion, const DomainGraph& graph, TensorId t) {
  const TensorInfo& tensor = fusion[t];
  const auto& domains = allocation_of(fusion, t);
  Simplifier simplifier(*fusion.facts());
  Expr n = fusion.pool().constant(1);
  if (tensor.strides.empty()) {
    for (DomainId d : domains) n = n * graph[d].extent;
  } else {
    for (std::size_t i = 0; i < domains.size(); ++i) {
      n = n + (graph[domains[i]].extent - 1) * tensor.strides[i];
    }
  }
  return simplifier.simplify(n);
}

bool is_dense(const TensorInfo& tensor) {
  return tensor.strides.empty() &&
         (tensor.allocation.empty() ||
          std::is_permutation(tensor.allocation.begin(), tensor.allocation.end(),
                              tensor.logical.begin(), tensor.logical.end()));
}

void refuse_allocation(const std::string& iterdomain, const std::string& tensor,
                       const std::string& what) {
  refuse<Illegal>(
      "E441",
      "the allocation iterdomain " + iterdomain + " of " + tensor + " does not follow from " + what,
      "allocate over iterdomains of the tensor");
}

}  // namespace selvage
