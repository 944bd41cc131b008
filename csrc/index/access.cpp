#include <selvage/index/access.h>

namespace selvage {

void place(Access& access, const Fusion& fusion, const DomainGraph& graph, Storage storage,
           std::span<const TransformId> transforms) {
  access.storage = std::move(storage);
  access.indices =
      indices_in(fusion, graph, access.tensor, access.storage, access.subscripts, transforms);
  access.address = address_in(graph, access.storage, access.indices);
}

}  // namespace selvage
