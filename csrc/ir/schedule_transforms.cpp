// The primitives that cut loops up, order and bind them.
#include <selvage/base/refuse.h>
#include <selvage/ir/path.h>
#include <selvage/ir/schedule_nest.h>

#include <algorithm>

namespace selvage {

namespace {

// Whether a loop can be bound to the type so far.
bool is_supported(ParallelType type) {
  return type != ParallelType::Group && type != ParallelType::DIDx;
}

// Drops the bindings of loops that were cut up: their types are free again.
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

std::vector<ScheduledLoop> Schedule::cut(TensorId t, const Transform& request,
                                         std::vector<std::string> names) {
  const std::vector<DomainId> in = inputs(request);
  for (DomainId d : in) position({t, d});
  check_not_mixed(t, request);
  // Results without a name are named after the loops that they come from.
  constexpr const char* kMarks[][2] = {{"o", "i"}, {"", ""}, {"r", ""}, {"s", "s"}, {"k", ""}};
  names.resize(2);
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (!names[k].empty()) continue;
    const std::string from = std::holds_alternative<Merge>(request)
                                 ? name(t, in[0]) + name(t, in[1])
                                 : name(t, in[std::min(k, in.size() - 1)]);
    names[k] = derived_name(from, kMarks[request.index()][k], graph_.size() + k);
  }
  const std::vector<DomainId> made = derive(t, request, names);
  const auto* merge = std::get_if<Merge>(&request);
  if (merge != nullptr && is_folded(t, merge->outer) != is_folded(t, merge->inner)) {
    nest(t).positions = made[0];
    nest(t).folded.insert(index_of(made[0]));
  }
  selvage::cross(nest(t).loops, request, made);
  drop_lost_bindings(nest(t).loops, nest(t).bound);
  std::vector<ScheduledLoop> loops;
  for (DomainId d : made) loops.push_back({t, d});
  return loops;
}

std::pair<ScheduledLoop, ScheduledLoop> Schedule::split(ScheduledLoop l, Expr factor,
                                                        SplitOptions options) {
  const auto made = cut(l.tensor, Split{l.domain, {}, {}, factor, options.inner_split},
                        {std::move(options.outer), std::move(options.inner)});
  return {made[0], made[1]};
}

ScheduledLoop Schedule::merge(ScheduledLoop outer, ScheduledLoop inner, std::string name) {
  if (outer.tensor != inner.tensor || outer.domain == inner.domain) {
    refuse<Illegal>("E411", "a merge takes two loops of one tensor",
                    "merge two different loops of it");
  }
  return cut(outer.tensor, Merge{outer.domain, inner.domain, {}}, {std::move(name)})[0];
}

ScheduledLoop Schedule::resize(ScheduledLoop l, Expr left, Expr right, std::string name) {
  return cut(l.tensor, Resize{l.domain, {}, left, right}, {std::move(name)})[0];
}

std::pair<ScheduledLoop, ScheduledLoop> Schedule::swizzle(SwizzleKind kind, ScheduledLoop x,
                                                          ScheduledLoop y, std::string x_name,
                                                          std::string y_name) {
  if (x.tensor != y.tensor) {
    refuse<Illegal>("E411", "a swizzle takes two loops of one tensor", "swizzle two loops of it");
  }
  const auto made = cut(x.tensor, Swizzle{kind, x.domain, y.domain, {}, {}},
                        {std::move(x_name), std::move(y_name)});
  return {made[0], made[1]};
}

bool Schedule::follows_beside(const Nest& own, DomainId loop, DomainId wanted) const {
  std::vector<DomainId> others = own.loops;
  std::erase(others, loop);
  if (contains(others, wanted)) return true;
  return !own.transforms.empty() &&
         reaches(everything_from(graph_, others, own.transforms), wanted);
}

ScheduledLoop Schedule::skew(ScheduledLoop l, ScheduledLoop along, Expr by, Expr modulo,
                             std::string name) {
  if (l.tensor != along.tensor) {
    refuse<Illegal>("E411", "a skew takes two loops of one tensor", "skew along a loop of it");
  }
  position(l);
  if (!follows_beside(nest(l.tensor), l.domain, along.domain)) {
    refuse<Illegal>("E416",
                    this->name(along.tensor, along.domain) + " of " + fusion()[l.tensor].name +
                        " does not follow from its loops without " + this->name(l.tensor, l.domain),
                    "skew along another loop, or along what some of them were cut out of");
  }
  return cut(l.tensor, Skew{l.domain, along.domain, {}, by, modulo}, {std::move(name)})[0];
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

void Schedule::check_not_mixed(TensorId t, const Transform& request) const {
  const std::vector<DomainId> in = inputs(request);
  if (in.size() < 2 || is_folded(t, in[0]) == is_folded(t, in[1])) return;
  // A row and its items: the nest folds wherever a row ends (lower/row_tiles.h).
  const auto* merge = std::get_if<Merge>(&request);
  if (merge != nullptr && graph_.rows_of(*merge) != nullptr && !is_scan(fusion()[t])) return;
  const DomainId a = in[0], b = in[1];
  const bool is_a = is_folded(t, a);
  refuse<Illegal>("E417",
                  fusion()[t].name + " folds over " + name(t, is_a ? a : b) + " and not over " +
                      name(t, is_a ? b : a) + ": no loop is both",
                  "transform loops that are folded over, or loops that are not, among themselves");
}

Schedule& Schedule::set_loops(TensorId t, std::vector<DomainId> loops) {
  // A tensor without transforms knows only its loops; for everything_from an empty list means
  // "all".
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
  const std::vector<DomainId> made = graph_.make(request, names);
  use_transform(t, inputs(request)[0], made[0]);
  for (std::size_t k = 0; k < made.size(); ++k) label(t, made[k], names[k]);
  return made;
}

}  // namespace selvage
