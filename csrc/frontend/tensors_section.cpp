// Section 1 of a schedule file: tensors, each a kernel of its own.
#include <selvage/base/check.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/tensor_draft.h>
#include <selvage/index/coordinates.h>

#include <algorithm>

namespace selvage {

namespace {

// Iterdomains of a tensor by the numbers of its names, as far as they are made.
using Domains = std::vector<DomainId>;

void make(const FileTransform& t, const DomainNames& names, DomainGraph& graph, Domains& domains) {
  at_place<Illegal>(t.place, [&] {
    const auto made = graph.make(request(t, domains), names_made(t, names));
    domains.insert(domains.end(), made.begin(), made.end());
  });
}

// The row-major number of an item, over the indices of the definition: those of a view's root.
Expr number_of_item(const Fusion& fusion, const TensorInfo& info) {
  const DomainGraph& graph = fusion.domains();
  const std::vector<DomainId>& from = definition_domain(info);
  const Path all = info.root.empty() ? Path{{}, from} : everything_from(graph, from, {});
  const Path view = needed_for(graph, all, from, info.logical);
  Simplifier simplifier(*fusion.facts());
  const Coordinates at(graph, view, from, info.indices, simplifier);
  Expr number = info.logical.empty() ? fusion.pool().constant(0) : at[info.logical[0]];
  for (std::size_t k = 1; k < info.logical.size(); ++k) {
    number = number * graph[info.logical[k]].extent + at[info.logical[k]];
  }
  return number;
}

TensorInfo tensor_info(TensorDraft& draft, const Domains& domains, const Domains& allocated,
                       FileContext& context) {
  Fusion& fusion = *draft.fusion;
  TensorInfo info;
  info.name = draft.entry.key;
  info.type = draft.type;
  info.is_output = true;
  info.memory = draft.memory;
  info.align = draft.layout.align;
  info.duplicates_allowed = draft.duplicates;
  info.fill = draft.fill;
  for (std::size_t k = 0; k < draft.roots; ++k) info.root.push_back(domains[k]);
  std::vector<std::string> axes;
  std::vector<Expr> extents;
  for (std::size_t d : draft.allocation) {
    info.allocation.push_back(allocated[d]);
    axes.push_back(draft.names.all()[d].name);
    extents.push_back(fusion.domains()[allocated[d]].extent);
  }
  if (draft.allocation == draft.logical) info.allocation.clear();
  info.strides = strides_of(draft.layout, info.name, info.type, axes, extents, fusion,
                            context.symbols, draft.sizes);

  for (std::size_t d : draft.logical) info.logical.push_back(domains[d]);
  const std::vector<DomainId>& defined = definition_domain(info);
  for (DomainId d : defined) info.indices.push_back(fusion.fresh_index(fusion.domains()[d].name));
  const Expr number = number_of_item(fusion, info);
  const ValueId value = fusion.values().index(number);
  const DataType computed = compute_type(info.type);
  info.definition = computed == DataType::Int64 ? value : fusion.values().cast(value, computed);
  return info;
}

Schedule schedule_of(const TensorDraft& draft, TensorId t, Domains& domains) {
  Schedule schedule(*draft.fusion);
  const Node* list = draft.entry.value.find("loop");
  const Place& place = list != nullptr ? list->place : draft.entry.place;
  iterate(schedule, t, {draft.names, draft.transforms, draft.loop, place, draft.bindings}, domains);
  return schedule;
}

// The transforms of the schedule first: what both have in common is the same iterdomain.
Schedule reading_of(const TensorDraft& draft, TensorId t, Domains domains) {
  Schedule schedule(*draft.fusion);
  std::vector<FileTransform> all = draft.transforms;
  all.insert(all.end(), draft.reading->transforms.begin(), draft.reading->transforms.end());
  iterate(schedule, t,
          {draft.names, all, draft.reading->loop, draft.reading->place, draft.reading->bindings},
          domains);
  return schedule;
}

}  // namespace

FileTensor build(TensorDraft& draft, FileContext& context) {
  const std::string& name = draft.entry.key;
  Diagnostics& errors = context.errors;
  draft.sizes.declare();
  for (std::size_t k = 0; k < draft.extents.size(); ++k) {
    errors.attempt([&] {
      auto& [extent, place] = draft.extents[k];
      const std::string what = "the extent of " + draft.names.all()[k].name + " of " + name;
      extent = draft.sizes.extent(extent, place, what);
    });
  }
  check_amounts(draft.view, draft.names, draft.sizes, errors);
  check_amounts(draft.transforms, draft.names, draft.sizes, errors);
  if (draft.reading) check_amounts(draft.reading->transforms, draft.names, draft.sizes, errors);
  if (!errors.empty()) return {};

  DomainGraph& graph = draft.fusion->domains();
  Domains domains;
  for (std::size_t k = 0; k < draft.extents.size(); ++k) {
    domains.push_back(graph.add(draft.names.all()[k].name, draft.extents[k].extent));
  }
  for (const FileTransform& t : draft.view) make(t, draft.names, graph, domains);
  // A tensor may lie in memory as it is iterated: then the fusion knows the transforms, too.
  Domains allocated = domains;
  const bool lies_as_iterated = std::any_of(draft.allocation.begin(), draft.allocation.end(),
                                            [&](std::size_t d) { return d >= domains.size(); });
  if (lies_as_iterated) {
    for (const FileTransform& t : draft.transforms) make(t, draft.names, graph, allocated);
  }

  FileTensor tensor;
  tensor.name = name;
  tensor.place = draft.entry.place;
  tensor.fusion = draft.fusion;
  const bool is_tma_copy =
      std::any_of(draft.bindings.begin(), draft.bindings.end(),
                  [](const FileBinding& b) { return b.type == ParallelType::Bulk; });
  tensor.has_kernel = draft.memory == Memory::Global && !is_tma_copy;
  tensor.tensor = draft.fusion->add(tensor_info(draft, domains, allocated, context));
  if (draft.reading) {
    tensor.reading = reading_of(draft, tensor.tensor, domains);
    tensor.reads_under_guard = draft.reading->is_guarded;
    tensor.reads_to_reduce = draft.reading->reduction;
  }
  tensor.schedule = schedule_of(draft, tensor.tensor, domains);
  for (std::size_t k = 0; k < domains.size(); ++k) {
    const DomainNames::Domain& d = draft.names.all()[k];
    tensor.iterdomains.push_back({d.name, domains[k], d.place});
  }
  return tensor;
}

void read_tensors(const Node& tensors, FileContext& context, ScheduleFile& file) {
  const std::vector<Entry>& entries = expect_map(tensors, "tensors");
  if (entries.empty()) {
    refuse("E107", tensors.place, "tensors: there is no tensor", "describe one, such as T0");
  }
  check_count(entries, kMostTensors, "tensors");
  Diagnostics& errors = context.errors;
  for (const Entry& entry : entries) {
    errors.attempt([&] { tensor_name(entry, context.symbols); });
  }
  for (const Entry& entry : entries) {
    // Each tensor on its own: mistakes in one keep no other from being examined to its end.
    Diagnostics before = std::move(errors);
    errors = {};
    errors.attempt([&] {
      TensorDraft draft(entry, context);
      read_draft(draft, context);
      if (!errors.empty()) return;
      try {
        FileTensor tensor = build(draft, context);
        if (errors.empty()) file.tensors.push_back(std::move(tensor));
      } catch (const Illegal& e) {
        file.illegal.push_back(e.diagnostic());
        if (file.illegal.back().place.line == 0) file.illegal.back().place = entry.place;
      }
    });
    for (const Diagnostic& d : errors.list()) before.add(d);
    errors = std::move(before);
  }
}

}  // namespace selvage
