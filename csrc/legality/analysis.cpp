#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/symbols.h>
#include <selvage/legality/analysis.h>

#include <algorithm>

namespace selvage {

namespace {

std::vector<Expr> variables_of(const Fusion& fusion, const Schedule& schedule, TensorId t,
                               const std::vector<DomainId>& loops, const OpenLoops& around,
                               Part part, const KnownLoops& beside) {
  const auto is_other = [&](Expr variable, DomainId d) {
    const auto known = beside.find(variable.id());
    return known != beside.end() && known->second != KnownLoop(schedule, t, d);
  };
  const auto& site = schedule.site(t);
  const bool accumulates = site && site->accumulates;
  std::vector<Expr> taken;
  for (const auto& [d, variable] : around) taken.push_back(variable);
  std::vector<Expr> variables;
  for (DomainId d : loops) {
    const auto open =
        std::find_if(around.begin(), around.end(), [&](const auto& o) { return o.first == d; });
    // The loops of a result are those of its own nest; a nest folds in loops of its own, unless it
    // accumulates.
    const bool has_own = part == Part::Everything && schedule.is_folded(t, d) && !accumulates;
    if (open == around.end() || has_own) {
      do {
        taken.push_back(fresh_symbol(fusion, schedule.name(t, d), taken));
      } while (is_other(taken.back(), d));
      variables.push_back(taken.back());
    } else {
      variables.push_back(open->second);
    }
  }
  return variables;
}

// A tensor with joined loops has holes where an iterdomain between those that its items are cut by
// and the items is out of bounds. What else its loops give on the way is of the nest around: past
// the end of it there are iterations, in each of which the tensor has a memory of its own.
void leave_joints_out(const Schedule& schedule, const std::vector<DomainId>& visited,
                      TensorAnalysis& a) {
  const std::vector<DomainId> cut = schedule.item_loops(a.tensor);
  const Path all = everything_from(schedule.graph(), cut, schedule.all_transforms(a.tensor));
  const Path items = needed_for(schedule.graph(), all, cut, visited);
  std::erase_if(a.hole_path.domains,
                [&](DomainId d) { return !contains(a.loops, d) && !contains(items.domains, d); });
}

}  // namespace

KnownLoop::KnownLoop(const Schedule& schedule, TensorId t, DomainId loop)
    : extent(schedule.graph()[loop].extent) {
  const ParallelType p = schedule.parallel(t, loop);
  axis = is_index(p) ? p : ParallelType::Serial;
}

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

Environment indices_at(const TensorInfo& tensor, const DomainGraph& graph,
                       std::span<const Expr> subscripts) {
  const std::vector<DomainId>& domain = definition_domain(tensor);
  const std::vector<Expr> coordinates =
      tensor.root.empty() ? std::vector(subscripts.begin(), subscripts.end())
                          : coordinates_from(graph, tensor.logical, subscripts, domain);
  Environment environment;
  for (std::size_t i = 0; i < tensor.indices.size(); ++i) {
    environment.emplace_back(tensor.indices[i], coordinates[i]);
  }
  return environment;
}

Expr fresh_symbol(const Fusion& fusion, std::string name, std::span<const Expr> taken) {
  const auto is_taken = [&](Expr e) { return contains(fusion.sizes(), e) || contains(taken, e); };
  while (is_taken(fusion.pool().symbol(name))) name += "_";
  return fusion.pool().symbol(name);
}

TensorAnalysis analyze(const Fusion& fusion, const Schedule& schedule, TensorId t) {
  TensorAnalysis a = analyze_loops(fusion, schedule, t);
  analyze_memory(fusion, schedule, a);
  return a;
}

TensorAnalysis analyze_loops(const Fusion& fusion, const Schedule& schedule, TensorId t,
                             const OpenLoops& around, Part part, const KnownLoops& beside) {
  const TensorInfo& tensor = fusion[t];
  const DomainGraph& graph = schedule.graph();
  TensorAnalysis a;
  a.tensor = t;
  a.part = part;
  a.loops = schedule.loop_domains(t);
  if (part == Part::Result && !is_scan(tensor)) {
    std::erase_if(a.loops, [&](DomainId d) { return schedule.is_folded(t, d); });
  }
  a.variables = variables_of(fusion, schedule, t, a.loops, around, part, beside);
  // A tensor without transforms of its own has a path of no steps; an empty list would mean "all".
  const std::vector<TransformId> transforms = schedule.all_transforms(t);
  if (transforms.empty()) {
    a.path.domains = a.loops;
  } else {
    a.path = everything_from(graph, a.loops, transforms);
  }
  const std::vector<DomainId> visited =
      part == Part::Result && !is_scan(tensor) ? tensor.logical : visited_domain(tensor);
  for (DomainId d : visited) {
    if (!reaches(a.path, d)) {
      refuse<Illegal>("E416",
                      "the index of " + schedule.name(t, d) + " of " + tensor.name +
                          " does not follow from its loops",
                      "take loops from which every logical iterdomain follows");
    }
  }
  a.hole_path = needed_for(graph, a.path, a.loops, visited);
  if (!schedule.joined(t).empty()) leave_joints_out(schedule, visited, a);

  Facts facts = *graph.facts();
  for (std::size_t i = 0; i < a.loops.size(); ++i) {
    facts.loop(a.variables[i], graph[a.loops[i]].extent);
  }
  a.ranges = std::make_shared<Simplifier>(facts);
  a.coordinates = std::make_shared<Coordinates>(graph, a.path, a.loops, a.variables, *a.ranges);
  a.rows = row_numbers(schedule, t, a.path, a.loops, a.variables, *a.coordinates);
  a.predicates = plan_predicates(
      {.graph = graph,
       .path = a.path,
       .loops = a.loops,
       .variables = a.variables,
       .candidates = tensor.duplicates_allowed ? std::span<const DomainId>(visited)
                                               : std::span<const DomainId>(a.hole_path.domains),
       .coordinates = *a.coordinates,
       .simplifier = *a.ranges});
  if (part == Part::Everything)
    a.coverage = coverage_of(fusion, schedule, t, schedule.item_loops(t));

  for (const KeptPredicate& kept : a.predicates.kept) facts.assume(kept.condition);
  for (DomainId d : visited) facts.assume(ok((*a.coordinates)[d], graph[d].extent));
  for (const RowNumber& n : a.rows) {
    const Expr row = graph[n.rows].row;
    if (!same(row, n.row)) facts.assume(eq(row, n.row));
  }
  a.guarded = std::make_shared<Simplifier>(std::move(facts));
  return a;
}

bool have_same_loops(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& other,
                     TensorId t, const OpenLoops& around) {
  const TensorInfo &own = fusion[t], &known = fusion[other.tensor];
  const bool may_be = !own.fold && !known.fold && other.rows.empty();
  if (!may_be || other.loops != schedule.loop_domains(t)) return false;
  for (std::size_t i = 0; i < other.loops.size(); ++i) {
    const auto open = std::ranges::find(around, other.loops[i], &OpenLoops::value_type::first);
    if (open == around.end() || !same(open->second, other.variables[i])) return false;
  }
  return visited_domain(known) == visited_domain(own) &&
         known.duplicates_allowed == own.duplicates_allowed &&
         schedule.all_transforms(other.tensor) == schedule.all_transforms(t);
}

TensorAnalysis analysis_like(const Fusion& fusion, const Schedule& schedule,
                             const TensorAnalysis& other, TensorId t) {
  TensorAnalysis a = other;
  a.tensor = t;
  a.coverage = coverage_of(fusion, schedule, t, schedule.item_loops(t));
  return a;
}

Storage storage_of(const Fusion& fusion, const TensorAnalysis& analysis) {
  return analysis.storage ? *analysis.storage : storage_of(fusion, analysis.tensor);
}

Access access_of(const Fusion& fusion, const DomainGraph& graph, const TensorAnalysis& nest,
                 TensorId t, Storage storage) {
  Access access{.kind = t == nest.tensor ? Access::Kind::Write : Access::Kind::Read,
                .tensor = t,
                .user = nest.tensor};
  for (DomainId d : fusion[t].logical) access.subscripts.push_back((*nest.coordinates)[d]);
  access.guard = conditions(nest.predicates);
  for (DomainId d : storage.axes) {
    const bool is_stage = storage.stage.valid() && access.indices.empty();
    access.indices.push_back(is_stage ? storage.stage : (*nest.coordinates)[d]);
  }
  access.address = address_in(graph, storage, access.indices);
  access.storage = std::move(storage);
  return access;
}

void place(Access& access, const Fusion& fusion, const Schedule& schedule,
           const TensorAnalysis* source) {
  if (source == nullptr || !source->storage) {
    return place(access, fusion, schedule.graph(), storage_of(fusion, access.tensor));
  }
  place(access, fusion, schedule.graph(), *source->storage, schedule.all_transforms(access.tensor));
}

void place_in_memory(const Fusion& fusion, const Schedule& schedule, TensorAnalysis& a,
                     std::optional<Storage> storage) {
  const DomainGraph& graph = schedule.graph();
  a.storage = std::move(storage);
  const Storage where = storage_of(fusion, a);
  for (DomainId d : where.axes) {
    const bool is_stage = where.stage.valid() && d == where.axes[0];
    if (is_stage || reaches(a.path, d)) continue;
    refuse_allocation(schedule.name(a.tensor, d), fusion[a.tensor].name, "its loops");
  }
  a.address = a.guarded->simplify(access_of(fusion, graph, a, a.tensor, where).address);
  if (a.address.size() > 4 * Coordinates::kLargestCoordinate) {
    a.address = fusion.pool().let(a.address);
  }
  if (a.storage) {
    a.elements = elements_of(graph, where, *a.ranges);
  } else {
    a.elements = elements_of(fusion, graph, a.tensor);
  }
}

void analyze_memory(const Fusion& fusion, const Schedule& schedule, TensorAnalysis& a,
                    std::optional<Storage> storage) {
  place_in_memory(fusion, schedule, a, std::move(storage));
  a.vector = vector_access(fusion, schedule, a);
  a.unswitched = unswitched(schedule, a);
  a.interior = interior(schedule, a);
}

}  // namespace selvage
