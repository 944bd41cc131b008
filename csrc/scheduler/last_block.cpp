#include <selvage/scheduler/last_block.h>

#include <algorithm>
#include <bit>

namespace selvage {

namespace {

// The tensor at whose nest the kernel begins that computes t.
TensorId kernel_of(const Schedule& schedule, TensorId t) {
  while (schedule.site(t)) t = schedule.site(t)->tensor;
  return schedule.last_block_of(t).value_or(t);
}

}  // namespace

std::optional<LastBlockHost> last_block_host(const Schedule& schedule, const ReadTable& table,
                                             const Segment& segment) {
  const Fusion& fusion = schedule.fusion();
  std::optional<LastBlockHost> host;
  for (TensorId m : segment.members) {
    if (fusion[m].in_place_of) return std::nullopt;
    // What reads inputs alone waits for no block.
    const auto is_input = [&](const EffectiveRead& read) { return fusion[read.source].is_input; };
    if (std::ranges::all_of(table.reads(m), is_input)) return std::nullopt;
    for (const EffectiveRead& read : table.reads(m)) {
      if (fusion[read.source].is_input || contains(segment, read.source)) continue;
      if (schedule.follows(read.source)) return std::nullopt;  // nobody knows yet where it goes
      const TensorId root = kernel_of(schedule, read.source);
      if (host && host->root != root) return std::nullopt;
      host = LastBlockHost{root};
    }
  }
  // What tiles of positions fold is complete behind a further kernel alone.
  if (!host || schedule.positions(host->root)) return std::nullopt;
  for (std::size_t k = 0; k < fusion.size(); ++k) {
    const auto t = TensorId(k);
    if (fusion[t].is_input || schedule.is_inlined(t) || kernel_of(schedule, t) != host->root) {
      continue;
    }
    for (DomainId d : schedule.loop_domains(t)) {
      const ParallelType type = schedule.parallel(t, d);
      if (!is_thread(type)) continue;
      const Expr extent = schedule.graph()[d].extent;
      if (!extent.is(Op::Const) || type == ParallelType::TIDz) return std::nullopt;
      std::int64_t& own = type == ParallelType::TIDx ? host->x : host->y;
      own = std::max(own, extent.value());
    }
  }
  // Threads along x that fold together are whole warps, or a power of two within one.
  const bool folds_along_x = host->x % 32 == 0 || std::has_single_bit(std::uint64_t(host->x));
  return folds_along_x ? host : std::nullopt;
}

}  // namespace selvage
