#include <selvage/lower/items.h>

#include <span>
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

std::array<Expr, 6> owner_of(const Schedule& schedule, const TensorAnalysis& analysis,
                             const std::vector<DomainId>& from, const std::vector<Expr>& indices) {
  constexpr ParallelType kAxes[] = {ParallelType::BIDx, ParallelType::BIDy, ParallelType::BIDz,
                                    ParallelType::TIDx, ParallelType::TIDy, ParallelType::TIDz};
  const TensorId t = analysis.tensor;
  std::array<Expr, 6> owner;
  for (std::size_t k = 0; k < std::size(kAxes); ++k) {
    owner[k] = schedule.fusion().pool().constant(0);
    for (DomainId loop : analysis.loops) {
      if (schedule.parallel(t, loop) != kAxes[k]) continue;
      owner[k] = coordinates_from(schedule.graph(), from, indices, std::span(&loop, 1),
                                  schedule.transforms(t))[0];
    }
  }
  return owner;
}

// The row that a nest is at whose items it stores one by one; null if it goes through positions, or
// stores no items of rows.
static const RowNumber* row_of_items(const Fusion& fusion, const DomainGraph& graph,
                                     const TensorAnalysis& analysis) {
  const TensorInfo& tensor = fusion[analysis.tensor];
  if (!tensor.is_iterated_by_root) return nullptr;
  const RowNumber* row = find(analysis.rows, graph[tensor.root[1]].ragged->rows);
  return row == nullptr || row->position.valid() ? nullptr : row;
}

Item stored_item(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis) {
  const TensorId t = analysis.tensor;
  const DomainGraph& graph = schedule.graph();
  const std::vector<DomainId>& allocation = allocation_of(fusion, t);
  Item item{access_of(fusion, graph, analysis, t, storage_of(fusion, t)).indices};
  const auto named = [&](const std::string& name) { return fusion.pool().symbol("item." + name); };
  std::vector<DomainId> from = allocation;
  std::vector<Expr> names;  // of the indices of the allocation
  for (std::size_t k = 0; k < from.size(); ++k) names.push_back(named(std::to_string(k)));
  if (const RowNumber* row = row_of_items(fusion, graph, analysis)) {
    const RaggedRows& rows = graph[row->rows];
    const DomainId in_row = fusion[t].root[1];
    item.of_row = Item::Row{.row = row->row,
                            .begin = rows.begin,
                            .end = rows.end,
                            .item = (*analysis.coordinates)[in_row]};
    // The first axis has the positions, the row and the item in it tell the rest.
    from[0] = graph[in_row].ragged->row;
    names[0] = named("row");
    from.insert(from.begin() + 1, in_row);
    names.insert(names.begin() + 1, named("in_row"));
  }
  item.owner = owner_of(schedule, analysis, from, names);
  return item;
}

}  // namespace selvage
