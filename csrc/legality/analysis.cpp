#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/legality/analysis.h>

#include <algorithm>

namespace selvage {

namespace {

// A loop variable is a symbol named like its loop; where a size has that name, with a mark.
std::vector<Expr> variables_of(const Fusion& fusion, const Schedule& schedule, TensorId t) {
  std::vector<Expr> variables;
  for (DomainId d : schedule.loop_domains(t)) {
    std::string name = schedule.name(t, d);
    const auto is_taken = [&](Expr e) {
      return std::any_of(fusion.sizes().begin(), fusion.sizes().end(),
                         [&](Expr s) { return same(s, e); }) ||
             std::any_of(variables.begin(), variables.end(), [&](Expr v) { return same(v, e); });
    };
    while (is_taken(fusion.pool().symbol(name))) name += "_";
    variables.push_back(fusion.pool().symbol(name));
  }
  return variables;
}

}  // namespace

const std::vector<DomainId>& allocation_of(const Fusion& fusion, TensorId t) {
  const TensorInfo& tensor = fusion[t];
  return tensor.allocation.empty() ? tensor.logical : tensor.allocation;
}

Expr elements_of(const Fusion& fusion, const DomainGraph& graph, TensorId t) {
  const TensorInfo& tensor = fusion[t];
  const auto& domains = allocation_of(fusion, t);
  Simplifier simplifier(*fusion.facts());
  Expr n = fusion.pool().constant(1);
  if (tensor.strides.empty()) {
    for (DomainId d : domains) n = n * graph[d].extent;
  } else {
    for (std::size_t i = 0; i < domains.size(); ++i) {
      n = n + (graph[domains[i]].extent - 1) * tensor.strides[i];
    }
  }
  return simplifier.simplify(n);
}

Expr address_in(const Fusion& fusion, const DomainGraph& graph, TensorId t,
                std::span<const Expr> indices) {
  const std::vector<Expr>& strides = fusion[t].strides;
  const std::vector<DomainId>& domains = allocation_of(fusion, t);
  Expr address = fusion.pool().constant(0);
  for (std::size_t i = 0; i < domains.size(); ++i) {
    if (strides.empty()) {
      address = i == 0 ? indices[0] : address * graph[domains[i]].extent + indices[i];
    } else {
      const Expr part = indices[i] * strides[i];
      address = i == 0 ? part : address + part;
    }
  }
  return address;
}

Expr address_of(const Fusion& fusion, TensorId t, std::span<const Expr> indices) {
  const TensorInfo& tensor = fusion[t];
  const DomainGraph& graph = fusion.domains();
  if (tensor.allocation.empty() || tensor.allocation == tensor.logical) {
    return address_in(fusion, graph, t, indices);
  }
  // The allocation's coordinates follow from the logical ones.
  const Path path = everything_from(graph, tensor.logical, {});
  std::vector<Expr> known(graph.size());
  for (std::size_t i = 0; i < indices.size(); ++i) known[index_of(tensor.logical[i])] = indices[i];
  for (const Step& step : path.steps) {
    std::vector<Expr> from;
    for (DomainId d : sources(graph, step)) from.push_back(known[index_of(d)]);
    const std::vector<Expr> made = step_formula(graph, step, from);
    const std::vector<DomainId> names = results(graph, step);
    for (std::size_t i = 0; i < names.size(); ++i) known[index_of(names[i])] = made[i];
  }
  std::vector<Expr> coordinates;
  for (DomainId d : tensor.allocation) {
    if (!known[index_of(d)].valid()) {
      refuse<Illegal>("E441",
                      "the allocation iterdomain " + graph[d].name + " of " + tensor.name +
                          " does not follow from its logical domain",
                      "allocate over iterdomains of the tensor");
    }
    coordinates.push_back(known[index_of(d)]);
  }
  return address_in(fusion, graph, t, coordinates);
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
  for (DomainId d : tensor.logical) {
    if (!reaches(a.path, d)) {
      refuse<Illegal>("E416",
                      "the index of " + schedule.name(t, d) + " of " + tensor.name +
                          " does not follow from its loops",
                      "take loops from which every logical iterdomain follows");
    }
  }
  a.hole_path = needed_for(graph, a.path, a.loops, tensor.logical);

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
       .candidates = tensor.duplicates_allowed ? std::span<const DomainId>(tensor.logical)
                                               : std::span<const DomainId>(a.hole_path.domains),
       .coordinates = *a.coordinates,
       .simplifier = *a.ranges});
  a.coverage = coverage_of(fusion, schedule, t, a.loops);

  for (const KeptPredicate& kept : a.predicates.kept) facts.assume(kept.condition);
  for (DomainId d : tensor.logical) facts.assume(ok((*a.coordinates)[d], graph[d].extent));
  a.guarded = std::make_shared<Simplifier>(std::move(facts));

  std::vector<Expr> indices;
  for (DomainId d : allocation_of(fusion, t)) {
    if (!reaches(a.path, d)) {
      refuse<Illegal>("E441",
                      "the allocation iterdomain " + schedule.name(t, d) + " of " + tensor.name +
                          " does not follow from its loops",
                      "allocate over iterdomains of the tensor");
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
