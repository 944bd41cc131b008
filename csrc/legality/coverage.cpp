#include <selvage/index/bound_oracle.h>
#include <selvage/index/hole_search.h>
#include <selvage/legality/coverage.h>

#include <algorithm>

namespace selvage {

static constexpr std::size_t kInstances = 16;  // of sizes, to look for a lost item in

Coverage coverage_of(const Fusion& fusion, const Schedule& schedule, TensorId t,
                     const std::vector<DomainId>& loops) {
  const DomainGraph& graph = schedule.graph();
  const std::vector<DomainId>& logical = fusion[t].logical;
  std::vector<Expr> items;
  Facts facts = *fusion.facts();
  for (DomainId d : logical) {
    items.push_back(fusion.pool().symbol(schedule.name(t, d)));
    facts.loop(items.back(), graph[d].extent);
  }
  const Path everything = everything_from(graph, logical, schedule.transforms(t));
  const Path path = needed_for(graph, everything, logical, loops);
  const bool reaches_all =
      std::all_of(loops.begin(), loops.end(), [&](DomainId d) { return reaches(path, d); });
  if (!reaches_all) return {.verdict = Unknown{}};
  // Growing sides and whole splits lose nothing: only a side that may shrink needs a closer look.
  Simplifier simplifier(facts);
  const bool only_grows = std::all_of(path.steps.begin(), path.steps.end(), [&](const Step& s) {
    const auto* r = std::get_if<Resize>(&graph[s.transform]);
    return r == nullptr ||
           (simplifier.proves_nonnegative(r->left) && simplifier.proves_nonnegative(r->right));
  });
  const bool all_forward = std::all_of(path.steps.begin(), path.steps.end(), [](const Step& s) {
    return s.direction == Direction::Forward;
  });
  if (only_grows && all_forward) return {.verdict = Proved{{"law A", "law B", "law D", "law E"}}};

  const Coordinates coordinates(graph, path, logical, items, simplifier);
  const PredicateRequest request{.graph = graph,
                                 .path = path,
                                 .loops = logical,
                                 .variables = items,
                                 .candidates = path.domains,
                                 .coordinates = coordinates,
                                 .simplifier = simplifier};
  const std::vector<Implication> laws_met = implications(graph, path, simplifier);
  const std::vector<Instance> all = instances(request, kInstances);
  const bool known = all.size() == 1 && all[0].symbols.empty();
  const auto oracle = known ? numeric_oracle(all[0].system) : symbolic_oracle(request, laws_met);
  const std::vector<char> holds = oracle->implied({}, BoundOracle::Effort::Thorough);
  std::uint64_t budget = 200'000;
  std::vector<Expr> open;
  for (std::size_t v = logical.size(); v < path.domains.size(); ++v) {
    for (Half half : {Half::Lo, Half::Hi}) {
      if (holds[bound_id(v, half)]) continue;
      bool none = known;
      for (const Instance& instance : all) {
        const SearchResult found =
            find_violation(instance.system, Bounds(instance.system), v, half, budget);
        if (found.answer != SearchResult::Answer::None) none = false;
        if (found.answer != SearchResult::Answer::Found) continue;
        Coverage lost{.verdict = Refuted{}};
        for (std::size_t i = 0; i < items.size(); ++i)
          lost.lost.emplace_back(items[i], found.point[i]);
        for (const auto& s : instance.symbols) lost.lost.push_back(s);
        lost.verdict = Refuted{lost.lost};
        return lost;
      }
      if (none) continue;
      const DomainId d = path.domains[v];
      open.push_back(half == Half::Lo ? 0 <= coordinates[d] : coordinates[d] < graph[d].extent);
    }
  }
  if (open.empty()) return {.verdict = Proved{{"interval"}}};
  return {Unknown{}, {}, std::move(open), std::make_shared<const Facts>(std::move(facts))};
}

}  // namespace selvage
