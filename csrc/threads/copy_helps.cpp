#include <selvage/threads/bodies.h>
#include <selvage/threads/copy_helps.h>
#include <selvage/threads/item_path.h>

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace selvage {

namespace {

bool has_copies(const ThreadBody& body) {
  return std::ranges::any_of(body, [](const ThreadItem& item) {
    const ThreadBody* inside = body_of(item);
    return std::holds_alternative<CopyLater>(item.node) ||
           (inside != nullptr && has_copies(*inside));
  });
}

// Every await of a body, at any depth.
void list_awaits(const ThreadBody& body, std::vector<std::pair<Place, std::int64_t>>& list) {
  for (const ThreadItem& item : body) {
    if (const auto* await = std::get_if<AwaitCopies>(&item.node)) {
      list.emplace_back(item.place, await->pending);
    }
    if (const ThreadBody* inside = body_of(item)) list_awaits(*inside, list);
  }
}

}  // namespace

std::optional<std::string> help_for_copies(const ThreadProgram& program, const ThreadCheck& check,
                                           const Place& race) {
  if (!has_copies(program.outermost.body)) return std::nullopt;
  const auto mends = [&](const ThreadProgram& tried) {
    return std::ranges::none_of(check(tried),
                                [](const Diagnostic& d) { return d.severity == Severity::Error; });
  };
  std::vector<std::pair<Place, std::int64_t>> awaits;
  list_awaits(program.outermost.body, awaits);
  // As many as are worth the time: each is a check of the program.
  constexpr std::size_t kMostAwaits = 8, kMostDepths = 4;
  constexpr std::int64_t kMostFewer = 4;
  const auto with_pending = [&](std::span<const std::pair<Place, std::int64_t>> changed) {
    ThreadProgram tried = program;
    for (const auto& [place, pending] : changed) {
      if (const auto found = find_item(tried, place)) {
        std::get<AwaitCopies>(found->item().node).pending = pending;
      }
    }
    return mends(tried);
  };
  std::vector<std::pair<Place, std::int64_t>> none_open = awaits;
  for (auto& [place, pending] : none_open) pending = 0;
  const bool may_mend = !awaits.empty() && with_pending(none_open);
  for (std::size_t k = 0; may_mend && k < std::min(awaits.size(), kMostAwaits); ++k) {
    const std::int64_t pending = awaits[k].second;
    std::pair<Place, std::int64_t> changed{awaits[k].first, 0};
    if (pending == 0 || !with_pending(std::span(&changed, 1))) continue;
    for (std::int64_t fewer = pending - 1; fewer > 0 && fewer >= pending - kMostFewer; --fewer) {
      changed.second = fewer;
      if (with_pending(std::span(&changed, 1))) break;
      changed.second = 0;
    }
    return fmt::format("write await: {} at {}", changed.second, text(changed.first));
  }
  ThreadProgram original = program;
  const auto way = find_item(original, race);
  if (!way) return std::nullopt;
  const std::size_t all = way->steps.size(), last = all - std::min(all, kMostDepths);
  for (std::size_t depth = all; depth-- > last;) {
    const Place before = way->steps[depth].item().place;
    for (const bool syncs : {false, true}) {
      ThreadProgram tried = program;
      const auto found = find_item(tried, before);
      if (!found) continue;
      const ItemPath::Step& step = found->steps.back();
      ThreadBody added = {{AwaitCopies{0}, {}}};
      if (syncs) added.push_back({Synchronize{Synchronize::Among::Shared}, {}});
      step.body->insert(step.body->begin() + std::ptrdiff_t(step.index), added.begin(),
                        added.end());
      if (!mends(tried)) continue;
      return fmt::format("put await: 0{} in front of {}", syncs ? " and sync: shared" : "",
                         text(before));
    }
  }
  return std::nullopt;
}

}  // namespace selvage
