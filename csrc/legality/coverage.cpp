#include <selvage/expr/fresh.h>
#include <selvage/expr/tape.h>
#include <selvage/index/bound_oracle.h>
#include <selvage/index/hole_search.h>
#include <selvage/legality/coverage.h>
#include <selvage/legality/decide.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::size_t kInstances = 16;  // of sizes, to look for a lost item in

constexpr std::int64_t kMostAsked = 20'000;  // nodes of all claims that are decided

// A refutation by a lost item, its indices first. Indices that the claim does not mention are 0,
// which every iterdomain has.
Coverage lost_at(const Point& point, const std::vector<Expr>& items) {
  const Point lost = in_order(items, point);
  return {.verdict = Refuted{lost}, .lost = lost};
}

}  // namespace

namespace {

// Whether iterdomain d may be out of bounds where duplicates are allowed: then only the items are
// guarded. An item is visited from the loops that follow from it if these are in bounds and lead
// back to it: a merge does so if its inner side is in bounds, a swizzle if both sides are.
bool may_be_outside(const DomainGraph& graph, const Path& path, DomainId d,
                    const std::vector<DomainId>& loops) {
  if (std::find(loops.begin(), loops.end(), d) != loops.end()) return false;
  return std::all_of(path.steps.begin(), path.steps.end(), [&](const Step& step) {
    const Transform& t = graph[step.transform];
    if (step.direction == Direction::Backward) return false;
    if (const auto* merge = std::get_if<Merge>(&t)) return merge->inner != d;
    return !std::holds_alternative<Swizzle>(t) || !contains(inputs(t), d);
  });
}

}  // namespace

// `follows`: whether the loops follow from the items.
static Coverage visits(const Fusion& fusion, const Schedule& schedule, TensorId t,
                       const std::vector<DomainId>& loops, bool& follows) {
  const DomainGraph& graph = schedule.graph();
  const std::vector<DomainId> logical = covered_domain(fusion[t]);
  std::vector<Expr> items;
  Facts facts = *fusion.facts();
  std::vector<Expr> taken = fusion.sizes();  // an axis may be called like one
  for (DomainId d : logical) {
    items.push_back(fresh_symbol(fusion.pool(), schedule.name(t, d), taken));
    taken.push_back(items.back());
    facts.loop(items.back(), graph[d].extent);
  }
  const Path everything = everything_from(graph, logical, schedule.transforms(t));
  const Path path = needed_for(graph, everything, logical, loops);
  follows = std::all_of(loops.begin(), loops.end(), [&](DomainId d) { return reaches(path, d); });
  if (!follows) return {.verdict = Unknown{}};
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
  Proved proof{{"interval"}};
  std::int64_t nodes_left = kMostAsked;
  const bool may_repeat = fusion[t].duplicates_allowed;
  for (std::size_t v = logical.size(); v < path.domains.size(); ++v) {
    if (may_repeat && may_be_outside(graph, path, path.domains[v], loops)) continue;
    for (Half half : {Half::Lo, Half::Hi}) {
      if (holds[bound_id(v, half)]) continue;
      bool none = known;
      for (const Instance& instance : all) {
        const SearchResult found =
            find_violation(instance.system, Bounds(instance.system), v, half, budget);
        if (found.answer != Answer::None) none = false;
        if (found.answer != Answer::Found) continue;
        Point lost = instance.symbols;
        for (std::size_t i = 0; i < items.size(); ++i) lost.emplace_back(items[i], found.point[i]);
        return lost_at(lost, items);
      }
      if (none) continue;
      const DomainId d = path.domains[v];
      const Expr bound = half == Half::Lo ? 0 <= coordinates[d] : coordinates[d] < graph[d].extent;
      // Bounds that laws, intervals and holes of a few instances leave open are decided one by one.
      const std::int64_t nodes = std::int64_t(reachable(std::span(&bound, 1), true).size());
      nodes_left -= nodes;
      const Verdict verdict = nodes_left >= 0 ? decide(facts, bound) : Unknown{bound};
      if (const auto* refuted = std::get_if<Refuted>(&verdict))
        return lost_at(refuted->point, items);
      if (!is_proved(verdict)) open.push_back(bound);
      add_rules(verdict, proof);
    }
  }
  if (open.empty()) return {.verdict = std::move(proof)};
  return {Unknown{}, {}, std::move(open), std::make_shared<const Facts>(std::move(facts))};
}

Coverage coverage_of(const Fusion& fusion, const Schedule& schedule, TensorId t,
                     const std::vector<DomainId>& loops) {
  bool follows = false;
  Coverage coverage = visits(fusion, schedule, t, loops, follows);
  if (follows) coverage.once = Proved{{"each transform is crossed back"}};
  return coverage;
}

}  // namespace selvage
