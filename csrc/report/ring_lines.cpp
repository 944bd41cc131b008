#include <selvage/base/words.h>
#include <selvage/report/ring_lines.h>
#include <selvage/report/ring_timeline.h>

#include <fmt/format.h>

namespace selvage {

namespace {

std::string what_copies(CopyBy by) {
  switch (by) {
    case CopyBy::LoadStore: return "loads and stores";
    case CopyBy::CpAsync: return "copies that end later (cp.async)";
    case CopyBy::Bulk: return "bulk copies (cp.async.bulk)";
    case CopyBy::Tma: break;
  }
  return "copies of boxes by a tensor map (cp.async.bulk.tensor)";
}

}  // namespace

void print_ring(const Schedule& schedule, TensorId t, Lines& out) {
  const std::optional<Schedule::Site>& site = schedule.site(t);
  if (schedule.copied_by(t) == CopyBy::LoadStore || !site || !site->loop) return;
  const std::optional<RingTimeline> ring = ring_timeline(schedule, t);
  const std::int64_t ahead = ring ? ring->ahead : 0;
  out.line(2, "by " + what_copies(schedule.copied_by(t)) + ", begun " +
                  (ahead == 0 ? "in the iteration that uses them"
                              : counted(ahead, "iteration") + " before they are used"));
  if (const std::optional<CopyRole>& role = schedule.role(t)) {
    out.line(2, "made by the role " + role->name + ", " + counted(role->warps, "warp") +
                    " of each block; no other waits for a slot to be free");
  }
  for (DomainId d : schedule.loop_domains(t)) {
    if (schedule.parallel(t, d) != ParallelType::Multicast) continue;
    out.line(2, "each iteration of " + schedule.name(t, d) +
                    " by one block of a cluster, to the memory of all");
  }
  if (!ring) return;
  const std::int64_t columns = ring->shown();
  using Iteration = RingTimeline::Iteration;
  const auto row = [&](const std::string& name, const auto& cell) {
    std::string text = fmt::format("{:<10}", name);
    for (std::int64_t q = 0; q < columns; ++q) {
      text += fmt::format("{:>6}", cell(q, ring->iteration(q)));
    }
    out.verbatim(4, text + (ring->ends_within(columns) ? "" : "  .."));
  };
  const auto number = [](std::int64_t n) { return std::to_string(n); };
  const auto in_slot = [](const std::optional<RingTimeline::Tile>& tile) {
    return tile ? fmt::format("{}:{}", tile->number, tile->slot) : ".";
  };
  row("iteration", [&](std::int64_t q, const Iteration&) { return number(q); });
  row("copies", [&](std::int64_t, const Iteration& in) { return in_slot(in.copies); });
  row("awaits",
      [&](std::int64_t, const Iteration& in) { return in.uses ? number(in.uses->number) : "."; });
  row("uses", [&](std::int64_t, const Iteration& in) { return in_slot(in.uses); });
}

}  // namespace selvage
