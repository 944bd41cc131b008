#include <selvage/ir/fold.h>
#include <selvage/lower/body.h>
#include <selvage/lower/fill.h>
#include <selvage/lower/flat_kernel.h>

namespace selvage {

Fill fill_with_empty_state(const Fusion& fusion, const DomainGraph& graph, TensorId t,
                           const std::vector<StoredPart>& parts, KnownSizes& sizes) {
  const TensorInfo& tensor = fusion[t];
  std::vector<Expr> extents;
  for (DomainId d : tensor.logical) extents.push_back(graph[d].extent);
  FlatKernel flat(fusion, "kernel_" + tensor.name + "_fill", std::move(extents), sizes);
  Kernel& kernel = flat.kernel();
  Facts valid = kernel.facts;
  valid.assume(flat.is_item());
  const Expr address =
      Simplifier(std::move(valid)).simplify(address_of(fusion, graph, t, flat.indices()));
  const FoldState state = empty_state(kernel.values, *tensor.fold);
  std::vector<Store> stores;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const StoredPart& part = parts[k];
    const BufferId buffer = flat.add({.name = part.name,
                                      .type = part.type,
                                      .elements = elements_of(fusion, graph, t),
                                      .is_written = true,
                                      .holds = TensorPart{t, k}});
    stores.push_back({.buffer = buffer,
                      .address = address,
                      .value = kernel.values.cast(state[0], compute_type(part.type)),
                      .valid = {flat.is_item()}});
  }
  return {flat.made(body_of_all(std::move(stores))), flat.checks()};
}

}  // namespace selvage
