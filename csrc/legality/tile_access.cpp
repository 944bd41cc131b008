#include <selvage/base/integer.h>
#include <selvage/expr/substitute.h>
#include <selvage/legality/decide.h>
#include <selvage/legality/tile_access.h>

#include <algorithm>

namespace selvage {

namespace {

struct Position {
  Expr row, column;
};

std::optional<Position> position(const TensorAnalysis& a, const std::vector<DomainId>& items,
                                 const std::vector<std::int64_t>& extents) {
  for (DomainId d : items) {
    if (!a.coordinates->has(d)) return std::nullopt;
  }
  Position p{(*a.coordinates)[items[0]], (*a.coordinates)[items.back()]};
  for (std::size_t i = 1; i + 1 < items.size(); ++i) {
    p.row = p.row * extents[i] + (*a.coordinates)[items[i]];
  }
  return p;
}

// Whether the lanes of a vector lie in one row, from a multiple of their number on.
bool runs_along_rows(const TensorAnalysis& a, const Position& p, const Environment& first_lane,
                     std::int64_t lanes) {
  if (lanes == 1) return true;
  Simplifier& valid = *a.guarded;
  const Expr row = written_out(p.row), column = written_out(p.column);
  const Expr row0 = written_out(row, first_lane), column0 = written_out(column, first_lane);
  return proof_of(valid, eq(row, row0)) &&
         proof_of(valid, eq(column, column0 + first_lane[0].first)) &&
         proof_of(valid, eq(column0 % lanes, 0));
}

std::optional<TileAccess> tile_access(const ScheduledAccess& side, const Tile& tile,
                                      const Position& position) {
  const WarpAccess& access = side.access;
  TileAccess result;
  result.lanes = access.bytes / access.element_bytes;
  if (!runs_along_rows(side.analysis, position, access.first_lane, result.lanes)) {
    return std::nullopt;
  }
  const Expr roots[] = {written_out(position.row, access.first_lane),
                        written_out(position.column, access.first_lane)};
  std::vector<Expr> all(std::begin(roots), std::end(roots));
  all.insert(all.end(), access.guards.begin(), access.guards.end());
  std::vector<BlockWalk::Range> ranges;
  std::int64_t points = access.block_threads();
  for (Expr s : symbols_of(all)) {
    if (access.is_thread(s)) continue;
    const auto loop = std::find_if(access.others.begin(), access.others.end(),
                                   [&](const auto& l) { return same(l.variable, s); });
    if (loop == access.others.end() || !loop->known) return std::nullopt;
    ranges.push_back({s, *loop->known});
    const auto more = checked_mul(points, *loop->known);
    if (!more || *more > kMostTileAccesses) return std::nullopt;
    points = *more;
  }
  BlockWalk walk(access, roots, ranges, true);
  do {
    for (std::int64_t t = 0; t < access.block_threads(); ++t) {
      if (t % kWarp == 0) result.warps.emplace_back();
      std::optional<TileItem>& item = result.warps.back().emplace_back();
      const BlockWalk::Thread state = walk.at(t);
      if (state == BlockWalk::Thread::Idle) continue;
      if (state == BlockWalk::Thread::Undefined) return std::nullopt;
      item = TileItem{walk.root(0), walk.root(1)};
      if (item->row < 0 || item->row >= tile.rows) return std::nullopt;
      if (item->column < 0 || item->column + result.lanes > tile.columns) return std::nullopt;
    }
  } while (walk.advance());
  return result;
}

}  // namespace

std::optional<TileTraffic> tile_traffic(const Fusion& fusion, TensorId t,
                                        const ScheduledAccess& store, const ScheduledAccess& load) {
  const TensorInfo& tensor = fusion[t];
  const std::vector<DomainId>& items = tensor.root.empty() ? tensor.logical : tensor.root;
  if (items.size() < 2) return std::nullopt;
  TileTraffic traffic;
  traffic.tile.element_bytes = size_of(said_type(tensor));
  std::int64_t elements = 1;
  for (DomainId d : items) {
    const Expr extent = store.analysis.ranges->simplify(fusion.domains()[d].extent);
    const auto more = extent.is(Op::Const) ? checked_mul(elements, extent.value()) : std::nullopt;
    if (!more || *more > kMostTileAccesses * 16) return std::nullopt;
    elements = *more;
    traffic.axes.extents.push_back(extent.value());
    traffic.axes.names.push_back(store.schedule.name(t, d));
  }
  traffic.tile.columns = traffic.axes.extents.back();
  traffic.tile.rows = elements / traffic.tile.columns;
  for (const ScheduledAccess* side : {&store, &load}) {
    // Only names between loops and items are taken: names made by a view vanish with the view.
    const TensorAnalysis& a = side->analysis;
    for (DomainId d : needed_for(side->schedule.graph(), a.path, a.loops, items).domains) {
      traffic.axes.taken.push_back(side->schedule.name(t, d));
    }
    const auto where = position(side->analysis, items, traffic.axes.extents);
    const auto access = where ? tile_access(*side, traffic.tile, *where) : std::nullopt;
    if (!access) return std::nullopt;
    (side == &store ? traffic.store : traffic.load) = *access;
  }
  return traffic;
}

}  // namespace selvage
