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

template <class Node>
bool has(const ThreadBody& body) {
  return std::ranges::any_of(body, [](const ThreadItem& item) {
    const ThreadBody* inside = body_of(item);
    return std::holds_alternative<Node>(item.node) || (inside != nullptr && has<Node>(*inside));
  });
}

using Await = std::pair<Place, AwaitGroups>;
std::string text_of(const AwaitGroups& await) {
  return fmt::format("{}: {}", await.of_mma ? "await_mma" : "await", await.pending);
}

// Every await of a body, at any depth.
void list_awaits(const ThreadBody& body, std::vector<Await>& list) {
  for (const ThreadItem& item : body) {
    if (const auto* await = std::get_if<AwaitGroups>(&item.node)) {
      list.emplace_back(item.place, *await);
    }
    if (const ThreadBody* inside = body_of(item)) list_awaits(*inside, list);
  }
}

void list_arrivals(const ThreadBody& body, std::vector<Place>& places) {
  for (const ThreadItem& item : body) {
    if (std::holds_alternative<ArriveAt>(item.node)) places.push_back(item.place);
    if (const ThreadBody* inside = body_of(item)) list_arrivals(*inside, places);
  }
}

// What may be missing in front of an item, and how it is called.
std::vector<std::pair<std::string, ThreadBody>> additions(bool has_copies, bool has_mma) {
  const ThreadItem sync{Synchronize{Synchronize::Among::Shared}, {}};
  std::vector<std::pair<std::string, ThreadBody>> all;
  const auto add = [&](const std::string& what, const ThreadItem& first) {
    all.push_back({what, {first}});
    all.push_back({what + " and sync: shared", {first, sync}});
  };
  for (const bool of_mma : {false, true}) {
    const AwaitGroups await{0, of_mma};
    if (of_mma ? has_mma : has_copies) add(text_of(await), {await, {}});
  }
  if (has_mma) add("fence: shared", {FenceShared{}, {}});
  return all;
}

}  // namespace

std::optional<std::string> help_for_copies(const ThreadProgram& program, const ThreadCheck& check,
                                           const Place& race) {
  const ThreadBody& whole = program.outermost.body;
  const bool has_mma = has<MultiplyTiles>(whole);
  if (!has<CopyLater>(whole) && !has_mma) return std::nullopt;
  const auto mends = [&](const ThreadProgram& tried) {
    return std::ranges::none_of(check(tried),
                                [](const Diagnostic& d) { return d.severity == Severity::Error; });
  };
  std::vector<Await> awaits;
  list_awaits(whole, awaits);
  // As many as are worth the time: each is a check of the program.
  constexpr std::size_t kMostAwaits = 8, kMostDepths = 4, kMostPlaces = 12;
  constexpr std::int64_t kMostFewer = 4;
  const auto with_pending = [&](std::span<const Await> changed) {
    ThreadProgram tried = program;
    for (const auto& [place, await] : changed) {
      if (const auto found = find_item(tried, place)) found->item().node = await;
    }
    return mends(tried);
  };
  std::vector<Await> none_open = awaits;
  for (auto& [place, await] : none_open) await.pending = 0;
  const bool may_mend = !awaits.empty() && with_pending(none_open);
  for (std::size_t k = 0; may_mend && k < std::min(awaits.size(), kMostAwaits); ++k) {
    const std::int64_t pending = awaits[k].second.pending;
    Await changed = awaits[k];
    std::int64_t& fewer = changed.second.pending;
    fewer = 0;
    if (pending == 0 || !with_pending(std::span(&changed, 1))) continue;
    for (fewer = pending - 1; fewer > 0 && fewer >= pending - kMostFewer; --fewer) {
      if (with_pending(std::span(&changed, 1))) break;
    }
    if (fewer < pending - kMostFewer) fewer = 0;
    return fmt::format("write {} at {}", text_of(changed.second), text(changed.first));
  }
  ThreadProgram original = program;
  const auto way = find_item(original, race);
  if (!way) return std::nullopt;
  const std::size_t all = way->steps.size(), last = all - std::min(all, kMostDepths);
  std::vector<Place> places;
  for (std::size_t depth = all; depth-- > last;) {
    places.push_back(way->steps[depth].item().place);
  }
  // Multiplications are told of by arrivals, and are to come behind what has been stored before.
  if (has_mma) list_arrivals(whole, places);
  places.resize(std::min(places.size(), kMostPlaces));
  for (const Place& before : places) {
    for (const auto& [what, added] : additions(has<CopyLater>(whole), has_mma)) {
      ThreadProgram tried = program;
      const auto found = find_item(tried, before);
      if (!found) continue;
      const ItemPath::Step& step = found->steps.back();
      step.body->insert(step.body->begin() + std::ptrdiff_t(step.index), added.begin(),
                        added.end());
      if (mends(tried)) return fmt::format("put {} in front of {}", what, text(before));
    }
  }
  return std::nullopt;
}

}  // namespace selvage
