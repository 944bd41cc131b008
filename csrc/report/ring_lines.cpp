#include <selvage/base/words.h>
#include <selvage/lower/ring.h>
#include <selvage/report/ring_lines.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace selvage {

namespace {

constexpr std::int64_t kMostColumns = 14;

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
  const std::int64_t ahead = ahead_at(schedule, *site), slots = schedule.stages(t);
  out.line(2, "by " + what_copies(schedule.copied_by(t)) + ", begun " +
                  (ahead == 0 ? "in the iteration that uses them"
                              : counted(ahead, "iteration") + " before they are used"));
  const Expr extent = schedule.graph()[*site->loop].extent;
  const std::int64_t tiles = extent.is(Op::Const) ? extent.value() : INT64_MAX - ahead;
  const std::int64_t all = tiles + ahead;
  const std::int64_t columns = std::min({all, ahead + slots + 2, kMostColumns});
  const auto row = [&](const std::string& name,
                       const std::function<std::string(std::int64_t)>& cell) {
    std::string text = fmt::format("{:<10}", name);
    for (std::int64_t q = 0; q < columns; ++q) text += fmt::format("{:>6}", cell(q));
    out.verbatim(4, text + (columns < all ? "  .." : ""));
  };
  const auto tile = [&](std::int64_t k) {
    return k < 0 || k >= tiles ? std::string(".") : std::to_string(k);
  };
  const auto in_slot = [&](std::int64_t k) {
    return k < 0 || k >= tiles ? "." : fmt::format("{}:{}", k, k % slots);
  };
  row("iteration", [](std::int64_t q) { return std::to_string(q); });
  row("copies", in_slot);
  row("awaits", [&](std::int64_t q) { return tile(q - ahead); });
  row("uses", [&](std::int64_t q) { return in_slot(q - ahead); });
}

}  // namespace selvage
