#include <selvage/lower/ring.h>
#include <selvage/report/ring_timeline.h>

#include <algorithm>

namespace selvage {

RingTimeline::Iteration RingTimeline::iteration(std::int64_t q) const {
  const auto tile = [&](std::int64_t k) -> std::optional<Tile> {
    if (k < 0 || (tiles && k >= *tiles)) return std::nullopt;
    return Tile{k, k % slots};
  };
  return {tile(q), tile(q - ahead)};
}

std::optional<RingTimeline::Tile> RingTimeline::before(const Tile& tile) const {
  if (tile.number < slots) return std::nullopt;
  return Tile{tile.number - slots, tile.slot};
}

bool RingTimeline::ends_within(std::int64_t n) const {
  return tiles && ahead <= n && *tiles <= n - ahead;
}

std::int64_t RingTimeline::shown() const {
  const std::int64_t first = std::min(ahead, kMostShown) + std::min(slots, kMostShown) + 2,
                     most = std::min(first, kMostShown);
  return ends_within(most) ? *tiles + ahead : most;
}

std::optional<RingTimeline> ring_timeline(const Schedule& schedule, TensorId t) {
  const std::optional<Schedule::Site>& site = schedule.site(t);
  if (schedule.copied_by(t) == CopyBy::LoadStore || !site || !site->loop) return std::nullopt;
  if (is_block(schedule.parallel(site->tensor, *site->loop))) return std::nullopt;
  RingTimeline ring{
      .ahead = ahead_at(schedule, *site), .slots = schedule.stages(t), .by = schedule.copied_by(t)};
  const Expr extent = schedule.graph()[*site->loop].extent;
  if (extent.is(Op::Const)) ring.tiles = extent.value();
  for (std::size_t k = 0; k < schedule.fusion().size(); ++k) {
    const auto& role = schedule.role(TensorId(k));
    if (role && ring.role.empty() && schedule.site(TensorId(k)) == site) ring.role = role->name;
  }
  return ring;
}

}  // namespace selvage
