#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/symbols.h>
#include <selvage/legality/analysis.h>

#include <algorithm>

namespace selvage {

namespace {

std::vector<Expr> variables_of(const Fusion& fusion, const Schedule& schedule, TensorId t) {
  std::vector<Expr> variables;
  for (DomainId d : schedule.loop_domains(t)) {
    variables.push_back(fresh_symbol(fusion, schedule.name(t, d), variables));
  }
  return variables;
}

}  // namespace

Environment indices_at(const TensorInfo& tensor, const Coordinates& coordinates) {
  Environment environment;
  const std::vector<DomainId>& domain = definition_domain(tensor);
  for (std::size_t i = 0; i < tensor.indices.size(); ++i) {
    environment.emplace_back(tensor.indices[i], coordinates[domain[i]]);
  }
  for (std::size_t i = 0; tensor.fold && i < tensor.fold->indices.size(); ++i) {
    environment.emplace_back(tensor.fold->indices[i], coordinates[tensor.fold->domains[i]]);
  }
  return environment;
}

Expr fresh_symbol(const Fusion& fusion, std::string name, std::span<const Expr> taken) {
  const auto is_taken = [&](Expr e) { return contains(fusion.sizes(), e) || contains(taken, e); };
  while (is_taken(fusion.pool().symbol(name))) name += "_";
  return fusion.pool().symbol(name);
}

TensorAnalysis analyze(const Fusion& fusion, const Schedule& schedule, TensorId t) {
  const TensorInfo& tensor = fusion[t];
  const DomainGraph& graph = schedule.graph();
  TensorAnalysis a;
  a.tensor = t;
  a.loops = schedule.loop_domains(t);
  a.variables = variables_of(fusion, schedule, t);
  // A tensor without transforms of its own has a path of no steps; an empty list would mean "all".
  const std::vector<TransformId>& transforms = schedule.transforms(t);
  if (transforms.empty()) {
    a.path.domains = a.loops;
  } else {
    a.path = everything_from(graph, a.loops, transforms);
  }
  const std::vector<DomainId> visited = visited_domain(tensor);
  for (DomainId d : visited) {
    if (!reaches(a.path, d)) {
      refuse<Illegal>("E416",
                      "the index of " + schedule.name(t, d) + " of " + tensor.name +
                          " does not follow from its loops",
                      "take loops from which every logical iterdomain follows");
    }
  }
  a.hole_path = needed_for(graph, a.path, a.loops, visited);

  Facts facts = *fusion.facts();
  for (std::size_t i = 0; i < a.loops.size(); ++i) {
    facts.loop(a.variables[i], graph[a.loops[i]].extent);
  }
  a.ranges = std::make_shared<Simplifier>(facts);
  a.coordinates = std::make_shared<Coordinates>(graph, a.path, a.loops, a.variables, *a.ranges);
  a.predicates = plan_predicates(
      {.graph = graph,
       .path = a.path,
       .loops = a.loops,
       .variables = a.variables,
       .candidates = tensor.duplicates_allowed ? std::span<const DomainId>(visited)
                                               : std::span<const DomainId>(a.hole_path.domains),
       .coordinates = *a.coordinates,
       .simplifier = *a.ranges});
  a.coverage = coverage_of(fusion, schedule, t, a.loops);

  for (const KeptPredicate& kept : a.predicates.kept) facts.assume(kept.condition);
  for (DomainId d : visited) facts.assume(ok((*a.coordinates)[d], graph[d].extent));
  a.guarded = std::make_shared<Simplifier>(std::move(facts));

  std::vector<Expr> indices;
  for (DomainId d : allocation_of(fusion, t)) {
    if (!reaches(a.path, d)) {
      refuse_allocation(schedule.name(t, d), tensor.name, "its loops");
    }
    indices.push_back((*a.coordinates)[d]);
  }
  a.address = a.guarded->simplify(address_in(fusion, graph, t, indices));
  if (a.address.size() > 4 * Coordinates::kLargestCoordinate) {
    a.address = fusion.pool().let(a.address);
  }
  a.elements = elements_of(fusion, graph, t);
  a.vector = vector_access(fusion, schedule, a);
  a.unswitched = unswitched(schedule, a);
  a.interior = interior(schedule, a);
  return a;
}

}  // namespace selvage
