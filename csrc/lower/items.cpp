#include <selvage/lower/items.h>

#include <algorithm>
#include <string>

namespace selvage {

std::vector<Buffer::Axis> axes_of(const Fusion& fusion, const DomainGraph& graph, TensorId t,
                                  Simplifier& sizes) {
  const std::vector<DomainId>& domains = allocation_of(fusion, t);
  const std::vector<Expr> strides = strides_of(fusion, graph, t, sizes);
  std::vector<Buffer::Axis> axes;
  for (std::size_t k = 0; k < domains.size(); ++k) {
    axes.push_back({strides[k], graph[domains[k]].extent});
  }
  return axes;
}

Item stored_item(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis) {
  const TensorId t = analysis.tensor;
  const DomainGraph& graph = schedule.graph();
  const std::vector<DomainId>& allocation = allocation_of(fusion, t);
  Item item{access_of(fusion, graph, analysis, t, storage_of(fusion, t)).indices};
  std::vector<Expr> names;  // of the indices of the allocation
  for (std::size_t k = 0; k < allocation.size(); ++k) {
    names.push_back(fusion.pool().symbol("item." + std::to_string(k)));
  }
  constexpr ParallelType kAxes[] = {ParallelType::BIDx, ParallelType::BIDy, ParallelType::BIDz,
                                    ParallelType::TIDx, ParallelType::TIDy, ParallelType::TIDz};
  for (std::size_t k = 0; k < std::size(kAxes); ++k) {
    item.owner[k] = fusion.pool().constant(0);
    for (DomainId loop : analysis.loops) {
      if (schedule.parallel(t, loop) != kAxes[k]) continue;
      item.owner[k] = coordinates_from(graph, allocation, names, std::span(&loop, 1),
                                       schedule.transforms(t))[0];
    }
  }
  return item;
}

}  // namespace selvage
