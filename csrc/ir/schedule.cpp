#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/ir/schedule.h>

#include <algorithm>

namespace selvage {

namespace {

// Types whose meaning the engine does not lower yet.
bool is_supported(ParallelType type) {
  return type != ParallelType::Group && type != ParallelType::DIDx;
}

// A loop that was cut up takes its binding with it: the type is free again.
void drop_lost_bindings(const std::vector<DomainId>& loops,
                        std::map<DomainId, ParallelType>& bound) {
  std::erase_if(bound, [&](const auto& binding) {
    return std::find(loops.begin(), loops.end(), binding.first) == loops.end();
  });
}

}  // namespace

Schedule::Schedule(const Fusion& fusion)
    : fusion_(&fusion),
      graph_(std::make_shared<const DomainGraph>(fusion.domains())),
      nests_(fusion.size()) {
  std::vector<char> is_read(fusion.size(), 0);
  for (std::size_t i = 0; i < fusion.values().size(); ++i) {
    const ValueNode& node = fusion.values()[ValueId(i)];
    if (node.kind == ValueNode::Kind::Read) is_read[node.source] = 1;
  }
  for (std::size_t t = 0; t < fusion.size(); ++t) {
    const TensorInfo& tensor = fusion[TensorId(t)];
    Nest& own = nests_[t];
    own.loops = visited_domain(tensor);
    const bool is_between = !tensor.is_input && !tensor.is_output && is_read[t];
    own.inlined = is_between && !tensor.fold;
    own.follows = is_between && tensor.fold;
    if (tensor.fold) {
      for (DomainId d : tensor.fold->domains) own.folded.insert(index_of(d));
    }
    const auto label_all = [&](const std::vector<DomainId>& domains,
                               const std::vector<Expr>& indices) {
      for (std::size_t k = 0; k < indices.size() && k < domains.size(); ++k) {
        // The symbol of a fresh index may carry a number that the name asked for does not.
        const std::string symbol(indices[k].name());
        const std::string& asked = graph_[domains[k]].name;
        label(TensorId(t), domains[k], symbol.starts_with(asked + "_") ? asked : symbol);
      }
    };
    label_all(definition_domain(tensor), tensor.indices);
    if (tensor.fold) label_all(tensor.fold->domains, tensor.fold->indices);
    if (!tensor.root.empty()) {
      // A view's transforms lie between its root and its logical domain, all in the fusion.
      const Path view = everything_from(graph_, tensor.root, {});
      for (const Step& step : needed_for(graph_, view, tensor.root, tensor.logical).steps) {
        if (nests_[t].used.insert(index_of(step.transform)).second) {
          nests_[t].transforms.push_back(step.transform);
        }
      }
    }
  }
}

void Schedule::check_rank(std::size_t actual, std::size_t asked) {
  if (actual == asked) return;
  refuse<Illegal>(
      "E412",
      std::to_string(asked) + " loops were asked for and the tensor has " + std::to_string(actual),
      "ask for " + std::to_string(actual));
}

Schedule::Nest& Schedule::nest(TensorId t) {
  SELVAGE_CHECK(index_of(t) < nests_.size());
  return nests_[index_of(t)];
}
const Schedule::Nest& Schedule::nest(TensorId t) const {
  SELVAGE_CHECK(index_of(t) < nests_.size());
  return nests_[index_of(t)];
}

const std::vector<DomainId>& Schedule::loop_domains(TensorId t) const { return nest(t).loops; }
bool Schedule::is_inlined(TensorId t) const { return nest(t).inlined; }
bool Schedule::is_folded(TensorId t, DomainId d) const {
  return nest(t).folded.contains(index_of(d));
}
const std::optional<Schedule::Site>& Schedule::site(TensorId t) const { return nest(t).site; }
std::optional<Memory> Schedule::memory(TensorId t) const { return nest(t).memory; }
bool Schedule::follows(TensorId t) const { return nest(t).follows; }
const std::vector<TransformId>& Schedule::transforms(TensorId t) const {
  return nest(t).transforms;
}

std::vector<ScheduledLoop> Schedule::loops(TensorId t) const {
  std::vector<ScheduledLoop> result;
  for (DomainId d : nest(t).loops) result.push_back({t, d});
  return result;
}

ParallelType Schedule::parallel(TensorId t, DomainId d) const {
  const auto it = nest(t).bound.find(d);
  return it == nest(t).bound.end() ? ParallelType::Serial : it->second;
}

std::string Schedule::name(TensorId t, DomainId d) const {
  const auto it = nest(t).names.find(d);
  return it == nest(t).names.end() ? graph_[d].name : it->second;
}

void Schedule::rename(TensorId t, DomainId d, std::string name) {
  nest(t).names[d] = std::move(name);
}

void Schedule::label(TensorId t, DomainId d, const std::string& name) {
  if (!name.empty() && !nest(t).names.count(d)) nest(t).names[d] = name;
}

std::size_t Schedule::position(ScheduledLoop l) const {
  const std::vector<DomainId>& loops = nest(l.tensor).loops;
  const auto it = std::find(loops.begin(), loops.end(), l.domain);
  if (it == loops.end()) {
    refuse<Illegal>("E410",
                    name(l.tensor, l.domain) + " is not a loop of " + fusion()[l.tensor].name +
                        " any more: it was split, merged, resized or swizzled",
                    "take what came out of that transform");
  }
  return std::size_t(it - loops.begin());
}

void Schedule::use_transform(TensorId t, DomainId in, DomainId out) {
  for (TransformId id : graph_.around(in)) {
    const std::vector<DomainId> made = outputs(graph_[id]);
    if (std::find(made.begin(), made.end(), out) == made.end()) continue;
    Nest& own = nest(t);
    if (own.used.insert(index_of(id)).second) own.transforms.push_back(id);
    if (own.folded.contains(index_of(in))) {
      for (DomainId d : made) own.folded.insert(index_of(d));
    }
    own.follows = false;
    return;
  }
}

std::pair<ScheduledLoop, ScheduledLoop> Schedule::split(ScheduledLoop l, Expr factor,
                                                        bool inner_split, std::string outer_name,
                                                        std::string inner_name) {
  const std::size_t at = position(l);
  const std::string own = name(l.tensor, l.domain);
  if (outer_name.empty()) outer_name = derived_name(own, "o", graph_.size());
  if (inner_name.empty()) inner_name = derived_name(own, "i", graph_.size() + 1);
  const auto [outer, inner] = graph_.split(l.domain, factor, inner_split, outer_name, inner_name);
  std::vector<DomainId>& loops = nest(l.tensor).loops;
  loops[at] = outer;
  loops.insert(loops.begin() + std::ptrdiff_t(at) + 1, inner);
  drop_lost_bindings(loops, nest(l.tensor).bound);
  use_transform(l.tensor, l.domain, outer);
  label(l.tensor, outer, outer_name);
  label(l.tensor, inner, inner_name);
  return {{l.tensor, outer}, {l.tensor, inner}};
}

ScheduledLoop Schedule::merge(ScheduledLoop outer, ScheduledLoop inner, std::string merged_name) {
  if (outer.tensor != inner.tensor || outer.domain == inner.domain) {
    refuse<Illegal>("E411", "a merge takes two loops of one tensor",
                    "merge two different loops of it");
  }
  const std::size_t at = position(outer);
  position(inner);
  check_not_mixed(outer.tensor, outer.domain, inner.domain);
  if (merged_name.empty()) {
    merged_name = derived_name(name(outer.tensor, outer.domain) + name(inner.tensor, inner.domain),
                               "", graph_.size());
  }
  const DomainId out = graph_.merge(outer.domain, inner.domain, merged_name);
  std::vector<DomainId>& loops = nest(outer.tensor).loops;
  loops[at] = out;
  std::erase(loops, inner.domain);
  drop_lost_bindings(loops, nest(outer.tensor).bound);
  use_transform(outer.tensor, outer.domain, out);
  label(outer.tensor, out, merged_name);
  return {outer.tensor, out};
}

ScheduledLoop Schedule::resize(ScheduledLoop l, Expr left, Expr right, std::string resized_name) {
  const std::size_t at = position(l);
  if (resized_name.empty())
    resized_name = derived_name(name(l.tensor, l.domain), "r", graph_.size());
  const DomainId out = graph_.resize(l.domain, left, right, resized_name);
  nest(l.tensor).loops[at] = out;
  drop_lost_bindings(nest(l.tensor).loops, nest(l.tensor).bound);
  use_transform(l.tensor, l.domain, out);
  label(l.tensor, out, resized_name);
  return {l.tensor, out};
}

std::pair<ScheduledLoop, ScheduledLoop> Schedule::swizzle(SwizzleKind kind, ScheduledLoop x,
                                                          ScheduledLoop y, std::string x_name,
                                                          std::string y_name) {
  if (x.tensor != y.tensor) {
    refuse<Illegal>("E411", "a swizzle takes two loops of one tensor", "swizzle two loops of it");
  }
  const std::size_t at_x = position(x), at_y = position(y);
  check_not_mixed(x.tensor, x.domain, y.domain);
  if (x_name.empty()) x_name = derived_name(name(x.tensor, x.domain), "s", graph_.size());
  if (y_name.empty()) y_name = derived_name(name(y.tensor, y.domain), "s", graph_.size() + 1);
  const auto [u, v] = graph_.swizzle(kind, x.domain, y.domain, x_name, y_name);
  std::vector<DomainId>& loops = nest(x.tensor).loops;
  loops[at_x] = u;
  loops[at_y] = v;
  drop_lost_bindings(loops, nest(x.tensor).bound);
  use_transform(x.tensor, x.domain, u);
  label(x.tensor, u, x_name);
  label(x.tensor, v, y_name);
  return {{x.tensor, u}, {x.tensor, v}};
}

Schedule& Schedule::reorder(std::vector<ScheduledLoop> order) {
  if (order.empty()) return *this;
  const TensorId t = order.front().tensor;
  std::vector<DomainId> loops;
  for (ScheduledLoop l : order) {
    if (l.tensor != t)
      refuse<Illegal>("E411", "a reorder takes the loops of one tensor", "reorder each apart");
    position(l);
    loops.push_back(l.domain);
  }
  std::vector<DomainId> sorted = loops, have = nest(t).loops;
  std::sort(sorted.begin(), sorted.end());
  std::sort(have.begin(), have.end());
  if (sorted != have) {
    std::string missing;
    for (DomainId d : nest(t).loops) {
      if (std::count(loops.begin(), loops.end(), d) != 1) missing += " " + name(t, d);
    }
    refuse<Illegal>("E412",
                    "the order of the loops of " + fusion()[t].name + " is no permutation of them",
                    "name every loop once; missing or repeated:" + missing);
  }
  nest(t).loops = std::move(loops);
  nest(t).follows = false;
  return *this;
}

Schedule& Schedule::bind(ScheduledLoop l, ParallelType type) {
  position(l);
  if (!is_supported(type)) {
    refuse<Illegal>("E414",
                    "binding " + name(l.tensor, l.domain) + " to " + std::string(to_string(type)) +
                        " is not supported yet",
                    "bind it to BIDx..z or TIDx..z, or leave it serial");
  }
  const bool once = is_block(type) || is_thread(type) || type == ParallelType::Vectorize;
  for (const auto& [domain, bound] : nest(l.tensor).bound) {
    if (bound == type && domain != l.domain && once) {
      refuse<Illegal>("E413",
                      std::string(to_string(type)) + " of " + fusion()[l.tensor].name +
                          " is bound to " + name(l.tensor, domain) + " already, and now to " +
                          name(l.tensor, l.domain),
                      "merge the two, or bind one of them to another type");
    }
  }
  nest(l.tensor).bound[l.domain] = type;
  nest(l.tensor).follows = false;
  return *this;
}

Schedule& Schedule::inline_into_readers(TensorId t) {
  const TensorInfo& tensor = fusion()[t];
  if (tensor.is_input || tensor.is_output) {
    refuse<Illegal>(
        "E415",
        tensor.name + " is an " + (tensor.is_input ? "input" : "output") + " and cannot be inlined",
        "inline tensors that only other tensors read");
  }
  if (tensor.fold) {
    refuse<Illegal>("E415",
                    tensor.name + " folds elements, and recomputing that in every reader is not " +
                        "what inlining does",
                    "compute it at a loop of its reader: inline: {into: READER, at: LOOP}");
  }
  Nest& own = nest(t);
  own.inlined = true;
  own.follows = false;
  own.site.reset();
  own.memory.reset();
  return *this;
}

Schedule& Schedule::materialize(TensorId t) {
  Nest& own = nest(t);
  own.inlined = own.follows = false;
  own.site.reset();
  own.memory.reset();
  return *this;
}

void Schedule::check_not_mixed(TensorId t, DomainId a, DomainId b) const {
  if (is_folded(t, a) == is_folded(t, b)) return;
  const bool is_a = is_folded(t, a);
  refuse<Illegal>("E417",
                  fusion()[t].name + " folds over " + name(t, is_a ? a : b) + " and not over " +
                      name(t, is_a ? b : a) + ": no loop is both",
                  "transform loops that are folded over, or loops that are not, among themselves");
}

void Schedule::put_at(TensorId t, Site site) {
  const TensorInfo& tensor = fusion()[t];
  const std::string& into = fusion()[site.tensor].name;
  if (tensor.is_input || !tensor.definition) {
    refuse<Illegal>("E418", tensor.name + " is an input: it is not computed anywhere",
                    "cache it, and compute the copy there");
  }
  for (TensorId host = site.tensor;;) {
    if (host == t) {
      refuse<Illegal>("E418",
                      tensor.name + " would be computed at a loop of " + into +
                          ", which is computed inside " + tensor.name,
                      "compute " + tensor.name + " at a loop of a tensor that reads it");
    }
    if (!nest(host).site) break;
    host = nest(host).site->tensor;
  }
  if (is_inlined(site.tensor) || fusion()[site.tensor].is_input) {
    refuse<Illegal>("E418",
                    into + (fusion()[site.tensor].is_input ? " is an input" : " is inlined") +
                        " and has no loops at which " + tensor.name + " could be computed",
                    "take a tensor that is computed in loops");
  }
  // Shared loops come first, in the order of the other tensor's.
  std::vector<DomainId> first;
  if (site.loop) {
    for (DomainId d : nest(site.tensor).loops) {
      const std::vector<DomainId>& own = nest(t).loops;
      if (std::find(own.begin(), own.end(), d) != own.end() && !is_folded(t, d)) first.push_back(d);
      if (d == *site.loop) break;
    }
  }
  Nest& own = nest(t);
  for (DomainId d : own.loops) {
    if (std::find(first.begin(), first.end(), d) == first.end()) first.push_back(d);
  }
  own.loops = std::move(first);
  own.inlined = own.follows = false;
  own.site = site;
}

Schedule& Schedule::compute_at(TensorId t, ScheduledLoop at) {
  position(at);
  put_at(t, {at.tensor, at.domain});
  return *this;
}

Schedule& Schedule::compute_in(TensorId t, TensorId reader) {
  put_at(t, {reader, std::nullopt});
  return *this;
}

Schedule& Schedule::keep_in(TensorId t, Memory memory) {
  const TensorInfo& tensor = fusion()[t];
  if (tensor.is_input || (tensor.is_output && memory != Memory::Global)) {
    refuse<Illegal>("E419",
                    tensor.name + " is an " + (tensor.is_input ? "input" : "output") +
                        " and lies in global memory",
                    "cache it, and keep the copy there");
  }
  nest(t).memory = memory;
  return *this;
}

Schedule& Schedule::set_loops(TensorId t, std::vector<DomainId> loops) {
  // Without transforms of its own only the loops themselves are known; an empty list means "all".
  const std::vector<TransformId>& own = nest(t).transforms;
  const Path path = own.empty() ? Path{{}, loops} : everything_from(graph_, loops, own);
  for (DomainId d : visited_domain(fusion()[t])) {
    if (reaches(path, d)) continue;
    refuse<Illegal>("E416",
                    "the index of " + name(t, d) + " of " + fusion()[t].name +
                        " does not follow from its loops",
                    "take loops from which every logical iterdomain follows");
  }
  std::unordered_set<std::size_t> seen;
  for (DomainId d : loops) {
    if (seen.insert(index_of(d)).second) continue;
    refuse<Illegal>("E412", name(t, d) + " is a loop of " + fusion()[t].name + " twice",
                    "name every loop once");
  }
  nest(t).loops = std::move(loops);
  nest(t).follows = false;
  drop_lost_bindings(nest(t).loops, nest(t).bound);
  return *this;
}

std::vector<DomainId> Schedule::derive(TensorId t, const Transform& request,
                                       std::vector<std::string> names) {
  names.resize(2);
  std::vector<DomainId> made;
  DomainId in{};
  std::visit(overloaded{[&](const Split& s) {
                          in = s.in;
                          const auto [o, i] =
                              graph_.split(s.in, s.factor, s.inner_split, names[0], names[1]);
                          made = {o, i};
                        },
                        [&](const Merge& m) {
                          in = m.outer;
                          made = {graph_.merge(m.outer, m.inner, names[0])};
                        },
                        [&](const Resize& r) {
                          in = r.in;
                          made = {graph_.resize(r.in, r.left, r.right, names[0])};
                        },
                        [&](const Swizzle& s) {
                          in = s.in_x;
                          const auto [u, v] =
                              graph_.swizzle(s.kind, s.in_x, s.in_y, names[0], names[1]);
                          made = {u, v};
                        }},
             request);
  use_transform(t, in, made[0]);
  for (std::size_t k = 0; k < made.size(); ++k) label(t, made[k], names[k]);
  return made;
}

}  // namespace selvage
