#include <selvage/threads/bodies.h>
#include <selvage/threads/copy_helps.h>
#include <selvage/threads/item_path.h>

#include <fmt/format.h>

#include <algorithm>

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
  for (const auto& [place, pending] : awaits) {
    for (std::int64_t fewer = pending; fewer-- > 0;) {
      ThreadProgram tried = program;
      const auto found = find_item(tried, place);
      if (!found) continue;
      std::get<AwaitCopies>(found->item().node).pending = fewer;
      if (mends(tried)) return fmt::format("write await: {} at {}", fewer, text(place));
    }
  }
  ThreadProgram original = program;
  const auto way = find_item(original, race);
  if (!way) return std::nullopt;
  for (std::size_t depth = way->steps.size(); depth-- > 0;) {
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
