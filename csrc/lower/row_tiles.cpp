#include <selvage/base/refuse.h>
#include <selvage/ir/fold.h>
#include <selvage/lower/row_tiles.h>

namespace selvage {

namespace {

// The split of the positions that has this inner loop; null if there is none.
const Split* split_with(const DomainGraph& graph, DomainId positions, DomainId inner) {
  for (TransformId id : graph.around(positions)) {
    const auto* split = std::get_if<Split>(&graph[id]);
    if (split != nullptr && split->in == positions && split->inner == inner) return split;
  }
  return nullptr;
}

}  // namespace

const Merge& merge_of(const DomainGraph& graph, DomainId positions) {
  for (TransformId id : graph.around(positions)) {
    const auto* merge = std::get_if<Merge>(&graph[id]);
    if (merge != nullptr && merge->out == positions) return *merge;
  }
  refuse<Illegal>("E458", "the positions come of no merge", "merge a row and its items");
}

bool leaves_carries(const Schedule& schedule, TensorId t) {
  const auto positions = schedule.positions(t);
  return positions && !merge_of(schedule.graph(), *positions).group;
}

RowTiles::RowTiles(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis)
    : rows(schedule.graph()[analysis.rows.at(0).rows]),
      added(analysis.rows.at(0).search.value().added) {
  const TensorId t = analysis.tensor;
  const DomainGraph& graph = schedule.graph();
  positions = *schedule.positions(t);
  const DomainId inner = analysis.loops.back();
  const Split* split = split_with(graph, positions, inner);
  const bool is_serial = schedule.parallel(t, inner) == ParallelType::Serial;
  if (split == nullptr || !is_serial || !graph[inner].extent.is(Op::Const)) {
    const std::string name = schedule.name(t, positions);
    refuse<Illegal>("E458",
                    fusion[t].name + " folds along " + name +
                        ", positions of rows, and its innermost loop is no serial one over a known "
                        "number of these",
                    "split: {in: " + name + ", factor: 8, out: [tile, k]}, with k innermost, and " +
                        "bind tile");
  }
  tile = split->outer;
  width = graph[inner].extent.value();
  const DomainId row = merge_of(graph, positions).outer;
  for (DomainId d : fusion[t].logical) {
    if (d != row) rest.push_back(d);
  }
}

std::vector<DomainId> RowTiles::axes() const {
  std::vector<DomainId> axes = {tile};
  axes.insert(axes.end(), rest.begin(), rest.end());
  return axes;
}

RowCarries row_carries(const Fusion& fusion, const Schedule& schedule, TensorId t,
                       const RowTiles& tiles, Simplifier& sizes) {
  const DomainGraph& graph = schedule.graph();
  const std::vector<DomainId> domains = tiles.axes();
  const Expr elements = elements_of(graph, {.axes = domains}, sizes);
  const std::vector<Expr> strides = strides_of(graph, {.axes = domains}, sizes);
  std::vector<Buffer::Axis> axes;
  for (std::size_t k = 0; k < domains.size(); ++k) {
    axes.push_back({strides[k], graph[domains[k]].extent});
  }
  const std::string& name = fusion[t].name;
  RowCarries made;
  const auto buffer = [&](const std::string& what, DataType type, std::size_t number) {
    return Buffer{.name = name + what,
                  .type = type,
                  .elements = elements,
                  .is_written = true,
                  .axes = axes,
                  .holds = TensorPart{t, kRowCarries + number}};
  };
  std::size_t number = 0;
  made.row = buffer(".carry.row", DataType::Int64, number++);
  const auto parts = components(*fusion[t].fold);
  for (const FoldComponent& c : parts) {
    const std::string mark = parts.size() > 1 ? "." + std::string(c.name) : "";
    made.carries.push_back(buffer(".carry" + mark, c.type, number++));
    made.heads.push_back(buffer(".head" + mark, c.type, number++));
  }
  return made;
}

Expr first_position(const RowTiles& tiles, Expr row) {
  const Expr begin = tiles.rows.begin;
  return tiles.added == 0 ? begin : tiles.added == 1 ? begin + row : begin + tiles.added * row;
}
Expr last_position(const RowTiles& tiles, Expr row) {
  const Expr end = tiles.rows.end;
  if (tiles.added == 0) return end - 1;
  return tiles.added == 1 ? end + row : end + tiles.added * row + (tiles.added - 1);
}

Expr element_of(const DomainGraph& graph, const RowTiles& tiles, Expr tile,
                std::span<const Expr> rest) {
  std::vector<Expr> indices = {tile};
  indices.insert(indices.end(), rest.begin(), rest.end());
  return address_in(graph, {.axes = tiles.axes()}, indices);
}

}  // namespace selvage
