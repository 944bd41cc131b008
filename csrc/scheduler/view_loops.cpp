#include <selvage/scheduler/read_table.h>
#include <selvage/scheduler/view_loops.h>

#include <algorithm>

namespace selvage {

namespace {

// The split or merge that makes an iterdomain.
std::optional<TransformId> maker(const DomainGraph& graph, DomainId d) {
  for (TransformId id : graph.around(d)) {
    const Transform& t = graph[id];
    const bool is_cut = std::holds_alternative<Split>(t) || std::holds_alternative<Merge>(t);
    if (is_cut && contains(outputs(t), d)) return id;
  }
  return std::nullopt;
}

struct WayBack {
  std::vector<DomainId> loops;
  std::vector<TransformId> transforms;  // from the loops to the tensor's own iterdomains
};

// Loops among `wanted` from which `domains` follow by splits and merges; nothing if there are none.
std::optional<WayBack> way_back(const DomainGraph& graph, std::vector<DomainId> domains,
                                const std::vector<DomainId>& wanted) {
  std::vector<TransformId> transforms;
  const auto step = [&] {
    for (DomainId d : domains) {
      const std::optional<TransformId> id = contains(wanted, d) ? std::nullopt : maker(graph, d);
      if (!id) continue;
      const std::vector<DomainId> made = outputs(graph[*id]), from = inputs(graph[*id]);
      if (!std::ranges::all_of(made, [&](DomainId m) { return contains(domains, m); })) continue;
      // A tensor has no loop twice.
      if (std::ranges::any_of(from, [&](DomainId m) { return contains(domains, m); })) continue;
      const auto first =
          std::ranges::find_if(domains, [&](DomainId m) { return contains(made, m); });
      const auto place = first - domains.begin();
      std::erase_if(domains, [&](DomainId m) { return contains(made, m); });
      domains.insert(domains.begin() + place, from.begin(), from.end());
      transforms.insert(transforms.begin(), *id);
      return true;
    }
    return false;
  };
  while (step()) {}
  const auto is_wanted = [&](DomainId d) {
    return contains(wanted, d) || graph[d].extent.is_const(1);
  };
  if (transforms.empty() || !std::ranges::all_of(domains, is_wanted)) return std::nullopt;
  return WayBack{std::move(domains), std::move(transforms)};
}

}  // namespace

std::vector<DomainId> item_loops(const Schedule& schedule, TensorId t) {
  std::vector<DomainId> loops = schedule.loop_domains(t);
  if (is_scan(schedule.fusion()[t])) return loops;
  std::erase_if(loops, [&](DomainId d) { return schedule.is_folded(t, d); });
  return loops;
}

std::optional<DomainId> loop_along(const DomainGraph& graph, DomainId domain,
                                   const std::vector<DomainId>& loops) {
  if (contains(loops, domain)) return domain;
  const std::optional<TransformId> id = maker(graph, domain);
  if (!id) return std::nullopt;
  if (const auto* split = std::get_if<Split>(&graph[*id])) {
    return split->inner == domain ? loop_along(graph, split->in, loops) : std::nullopt;
  }
  return loop_along(graph, std::get<Merge>(graph[*id]).inner, loops);
}

Schedule with_loops_of_views(const Schedule& schedule, const std::vector<bool>& open) {
  const Fusion& fusion = schedule.fusion();
  bool has_views = false, has_folds = false;
  for (std::size_t k = 0; k < fusion.size(); ++k) {
    has_views = has_views || !fusion[TensorId(k)].root.empty();
    has_folds = has_folds || fusion[TensorId(k)].fold;
  }
  if (!has_views || !has_folds) return schedule;
  const ReadTable table(schedule);
  Schedule result = schedule;
  for (TensorId t : table.order()) {
    if (!table.is_computed(t) || fusion[t].fold || !open[index_of(t)]) continue;
    for (const EffectiveRead& read : table.reads(t)) {
      if (!fusion[read.source].fold) continue;
      const auto way =
          way_back(fusion.domains(), schedule.loop_domains(t), nest_domain(fusion[read.source]));
      if (!way) continue;
      for (TransformId id : way->transforms) result.derive(t, fusion.domains()[id], {});
      result.set_loops(t, way->loops);
      break;
    }
  }
  return result;
}

}  // namespace selvage
