#include <selvage/lower/items.h>

#include <algorithm>
#include <optional>
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
                             const std::vector<DomainId>& from, const std::vector<Expr>& indices,
                             std::span<const SpreadLoop> spread) {
  constexpr ParallelType kAxes[] = {ParallelType::BIDx, ParallelType::BIDy, ParallelType::BIDz,
                                    ParallelType::TIDx, ParallelType::TIDy, ParallelType::TIDz};
  const TensorId t = analysis.tensor;
  std::array<Expr, 6> owner;
  const auto point_of = [&](DomainId loop) {
    return coordinates_from(schedule.graph(), from, indices, std::span(&loop, 1),
                            schedule.transforms(t))[0];
  };
  for (std::size_t k = 0; k < std::size(kAxes); ++k) {
    owner[k] = schedule.fusion().pool().constant(0);
    for (DomainId loop : analysis.loops) {
      if (in_kernel(schedule.parallel(t, loop)) == kAxes[k]) owner[k] = point_of(loop);
    }
    for (const SpreadLoop& l : spread) {
      if (l.axis != kAxes[k]) continue;
      const Expr point = point_of(analysis.loops[l.loop]);
      owner[k] = point.valid() ? point % l.threads : point;
    }
  }
  return owner;
}

// The iterdomain of items one by one of which a nest stores a row's: the items of the row, or the
// positions of a group of rows. Nothing if it goes through the positions of all rows, or stores no
// items of rows.
static std::optional<DomainId> stored_in_row(const Fusion& fusion, const DomainGraph& graph,
                                             const TensorAnalysis& analysis) {
  const TensorInfo& tensor = fusion[analysis.tensor];
  if (!tensor.is_iterated_by_root) return std::nullopt;
  const DomainId items = tensor.root[1];
  const RowNumber* row = find(analysis.rows, graph[items].ragged->rows);
  if (row == nullptr || !row->search) return row == nullptr ? std::nullopt : std::optional(items);
  const auto is_group = [&](DomainId d) {
    return graph[d].ragged && graph[graph[d].ragged->rows].groups;
  };
  const auto group = std::ranges::find_if(analysis.path.domains, is_group);
  return group == analysis.path.domains.end() ? std::nullopt : std::optional(*group);
}

Item stored_item(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
                 std::span<const SpreadLoop> spread) {
  const TensorId t = analysis.tensor;
  const DomainGraph& graph = schedule.graph();
  const std::vector<DomainId>& allocation = allocation_of(fusion, t);
  Item item{access_of(fusion, graph, analysis, t, storage_of(fusion, t)).indices};
  const auto named = [&](const std::string& name) { return fusion.pool().symbol("item." + name); };
  std::vector<DomainId> from = allocation;
  std::vector<Expr> names;  // of the indices of the allocation
  for (std::size_t k = 0; k < from.size(); ++k) names.push_back(named(std::to_string(k)));
  if (const auto in_row = stored_in_row(fusion, graph, analysis)) {
    const auto& ragged = *graph[*in_row].ragged;
    const RaggedRows& rows = graph[ragged.rows];
    item.of_row = Item::Row{.row = (*analysis.coordinates)[ragged.row],
                            .begin = rows.begin,
                            .end = rows.end,
                            .item = (*analysis.coordinates)[*in_row]};
    if (rows.groups) item.of_row->height = rows.groups->height;
    // The first axis has the positions, the row and the item in it tell the rest.
    from[0] = ragged.row;
    names[0] = named("row");
    from.insert(from.begin() + 1, *in_row);
    names.insert(names.begin() + 1, named("in_row"));
  }
  item.owner = owner_of(schedule, analysis, from, names, spread);
  return item;
}

}  // namespace selvage
