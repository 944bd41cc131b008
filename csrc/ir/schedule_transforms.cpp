// The primitives that cut loops up, order and bind them.
#include <selvage/base/refuse.h>
#include <selvage/ir/schedule_nest.h>

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
                                                        SplitOptions options) {
  auto& [outer_name, inner_name, inner_split] = options;
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

ParallelType Schedule::unused_type(TensorId t, ParallelType taken) const {
  using enum ParallelType;
  for (ParallelType type : {BIDx, BIDy, BIDz, TIDx, TIDy, TIDz}) {
    const bool is_bound =
        std::ranges::any_of(nest(t).bound, [&](const auto& b) { return b.second == type; });
    if (is_block(type) == is_block(taken) && is_thread(type) == is_thread(taken) && !is_bound) {
      return type;
    }
  }
  return Serial;
}

Schedule& Schedule::bind(ScheduledLoop l, ParallelType type) {
  position(l);
  if (!is_supported(type)) {
    refuse<Illegal>("E414",
                    "binding " + name(l.tensor, l.domain) + " to " + std::string(to_string(type)) +
                        " is not supported yet",
                    "bind it to BIDx..z or TIDx..z; or leave it serial");
  }
  for (const auto& [domain, bound] : nest(l.tensor).bound) {
    if (bound == type && domain != l.domain && is_bound_once(type)) {
      refuse<Illegal>("E413",
                      std::string(to_string(type)) + " of " + fusion()[l.tensor].name +
                          " is bound to " + name(l.tensor, domain) + " already, and now to " +
                          name(l.tensor, l.domain),
                      "merge the two, or bind " + name(l.tensor, l.domain) + " to " +
                          std::string(to_string(unused_type(l.tensor, type))));
    }
  }
  nest(l.tensor).bound[l.domain] = type;
  nest(l.tensor).follows = false;
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

std::vector<DomainId> Schedule::make(const Transform& request,
                                     const std::vector<std::string>& names) {
  const auto both = [](const std::pair<DomainId, DomainId>& made) {
    return std::vector<DomainId>{made.first, made.second};
  };
  return std::visit(
      overloaded{[&](const Split& s) {
                   return both(graph_.split(s.in, s.factor, s.inner_split, names[0], names[1]));
                 },
                 [&](const Merge& m) {
                   return std::vector<DomainId>{graph_.merge(m.outer, m.inner, names[0])};
                 },
                 [&](const Resize& r) {
                   return std::vector<DomainId>{graph_.resize(r.in, r.left, r.right, names[0])};
                 },
                 [&](const Swizzle& s) {
                   return both(graph_.swizzle(s.kind, s.in_x, s.in_y, names[0], names[1]));
                 }},
      request);
}

std::vector<DomainId> Schedule::derive(TensorId t, const Transform& request,
                                       std::vector<std::string> names) {
  names.resize(2);
  const std::vector<DomainId> made = make(request, names);
  use_transform(t, inputs(request)[0], made[0]);
  for (std::size_t k = 0; k < made.size(); ++k) label(t, made[k], names[k]);
  return made;
}

}  // namespace selvage
