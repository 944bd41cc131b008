#include <selvage/base/refuse.h>
#include <selvage/index/allocation.h>
#include <selvage/index/coordinates.h>

#include <algorithm>

namespace selvage {

Storage storage_of(const Fusion& fusion, TensorId t) {
  const TensorInfo& tensor = fusion[t];
  return {.memory = tensor.memory,
          .type = stored_type(tensor),
          .axes = allocation_of(fusion, t),
          .strides = tensor.strides,
          .base = fusion.pool().symbol(tensor.name),
          .align = tensor.align};
}

std::vector<AllocationAxis> axes_of(const DomainGraph& graph, const Storage& storage,
                                    Simplifier& simplifier) {
  const std::vector<Expr> strides = strides_of(graph, storage, simplifier);
  std::vector<AllocationAxis> axes;
  for (std::size_t k = 0; k < storage.axes.size(); ++k) {
    const Expr extent = graph[storage.axes[k]].extent;
    if (simplifier.proves(extent <= 1)) continue;
    axes.push_back({storage.axes[k], extent, simplifier.simplify(strides[k])});
  }
  return axes;
}

std::vector<Expr> strides_of(const DomainGraph& graph, const Storage& storage,
                             Simplifier& simplifier) {
  if (!storage.strides.empty()) return storage.strides;
  std::vector<Expr> strides(storage.axes.size());
  Expr stride = graph.pool().constant(1);
  for (std::size_t k = storage.axes.size(); k-- > 0;) {
    strides[k] = stride;
    stride = simplifier.simplify(stride * graph[storage.axes[k]].extent);
  }
  return strides;
}

Expr address_in(const DomainGraph& graph, const Storage& storage, std::span<const Expr> indices) {
  Expr address = graph.pool().constant(0);
  for (std::size_t i = 0; i < storage.axes.size(); ++i) {
    if (storage.strides.empty()) {
      address = i == 0 ? indices[0] : address * graph[storage.axes[i]].extent + indices[i];
    } else {
      const Expr part = indices[i] * storage.strides[i];
      address = i == 0 ? part : address + part;
    }
  }
  return address;
}

Expr elements_of(const DomainGraph& graph, const Storage& storage, Simplifier& simplifier) {
  Expr n = graph.pool().constant(1);
  for (std::size_t i = 0; i < storage.axes.size(); ++i) {
    const Expr extent = graph[storage.axes[i]].extent;
    n = storage.strides.empty() ? n * extent : n + (extent - 1) * storage.strides[i];
  }
  return simplifier.simplify(n);
}

std::vector<Expr> indices_in(const Fusion& fusion, const DomainGraph& graph, TensorId t,
                             const Storage& storage, std::span<const Expr> subscripts,
                             std::span<const TransformId> transforms) {
  const TensorInfo& tensor = fusion[t];
  if (storage.axes == tensor.logical) return {subscripts.begin(), subscripts.end()};
  std::vector<Expr> indices =
      coordinates_from(graph, tensor.logical, subscripts, storage.axes, transforms);
  if (storage.stage.valid()) indices[0] = storage.stage;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (!indices[i].valid()) {
      refuse_allocation(graph[storage.axes[i]].name, tensor.name, "its logical domain");
    }
  }
  return indices;
}

const std::vector<DomainId>& allocation_of(const Fusion& fusion, TensorId t) {
  const TensorInfo& tensor = fusion[t];
  return tensor.allocation.empty() ? tensor.logical : tensor.allocation;
}

std::vector<Expr> strides_of(const Fusion& fusion, const DomainGraph& graph, TensorId t,
                             Simplifier& simplifier) {
  return strides_of(graph, storage_of(fusion, t), simplifier);
}

Expr address_in(const Fusion& fusion, const DomainGraph& graph, TensorId t,
                std::span<const Expr> indices) {
  return address_in(graph, storage_of(fusion, t), indices);
}

Expr address_of(const Fusion& fusion, const DomainGraph& graph, TensorId t,
                std::span<const Expr> subscripts) {
  const Storage storage = storage_of(fusion, t);
  return address_in(graph, storage, indices_in(fusion, graph, t, storage, subscripts));
}

Expr elements_of(const Fusion& fusion, const DomainGraph& graph, TensorId t) {
  Simplifier simplifier(*fusion.facts());
  return elements_of(graph, storage_of(fusion, t), simplifier);
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
