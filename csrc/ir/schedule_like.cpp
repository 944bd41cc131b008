// Schedule::like: replays the transforms of another tensor.
#include <selvage/base/refuse.h>
#include <selvage/ir/schedule_nest.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>

namespace selvage {

namespace {

// The type of a loop that a tensor folds over where the reference has `type`. Folded elements are
// no tile in memory, so Bulk and Multicast become Serial; under Vectorize they are read as one
// access.
ParallelType for_folded(ParallelType type) {
  const bool is_of_tiles = type == ParallelType::Bulk || type == ParallelType::Multicast;
  return is_of_tiles ? ParallelType::Serial : type;
}

// Whether a transform may leave items out, as a slice does. Then the tensor that is sliced has more
// items than the reference.
bool may_shrink(const DomainGraph& graph, const Transform& transform) {
  const auto* resize = std::get_if<Resize>(&transform);
  if (resize == nullptr) return false;
  const auto grows = [&](Expr side) {
    return side.is(Op::Const) ? side.value() >= 0
                              : Simplifier(*graph.facts()).proves_nonnegative(side);
  };
  return !grows(resize->left) || !grows(resize->right);
}

// Those of `transforms` by which `loops` are made. Others lead from the loops to the items of a
// tensor that is computed in the loops of a view.
std::vector<TransformId> leading_to(const DomainGraph& graph, std::vector<DomainId> loops,
                                    const std::vector<TransformId>& transforms) {
  std::vector<TransformId> leading;
  for (std::size_t k = transforms.size(); k-- > 0;) {
    const std::vector<DomainId> out = outputs(graph[transforms[k]]);
    if (std::ranges::none_of(out, [&](DomainId d) { return contains(loops, d); })) continue;
    for (DomainId d : inputs(graph[transforms[k]])) loops.push_back(d);
    leading.insert(leading.begin(), transforms[k]);
  }
  return leading;
}

}  // namespace

// Replays a transform if all its inputs are loops, none or all of them are folded over, and what it
// reads beside follows from the other loops; else returns false.
bool Schedule::cross(const Transform& transform, const Nest& reference, Nest& own) const {
  const std::vector<DomainId> in = inputs(transform), out = outputs(transform);
  const bool is_folded = own.folded.contains(index_of(in[0]));
  for (DomainId d : in) {
    if (!contains(own.loops, d) || own.folded.contains(index_of(d)) != is_folded) return false;
  }
  const auto other = beside(transform);
  if (other && !follows_beside(own, in[0], *other)) return false;
  selvage::cross(own.loops, transform, out);
  for (DomainId d : in) own.bound.erase(d);
  for (DomainId d : out) {
    if (is_folded) own.folded.insert(index_of(d));
    const auto name = reference.names.find(d);
    if (name != reference.names.end()) own.names.insert(*name);
  }
  return true;
}

std::optional<Schedule::Nest> Schedule::alike(TensorId t, TensorId of) const {
  const Nest& reference = nest(of);
  Nest own = nest(t);
  bool shares = false;
  for (TransformId id : leading_to(graph_, reference.loops, reference.transforms)) {
    if (may_shrink(graph_, graph_[id]) || !cross(graph_[id], reference, own)) continue;
    shares = true;
    if (own.used.insert(index_of(id)).second) own.transforms.push_back(id);
  }
  // [0]: loops that are not folded over, [1]: those that are. In each, shared loops come first.
  std::vector<DomainId> order[2];
  for (DomainId d : reference.loops) {
    if (contains(own.loops, d)) order[own.folded.contains(index_of(d))].push_back(d);
  }
  shares = shares || !order[0].empty() || !order[1].empty();
  if (!shares) return std::nullopt;
  for (std::size_t folded : {0, 1}) {
    for (DomainId d : order[folded]) {
      const auto bound = reference.bound.find(d);
      const ParallelType type =
          bound == reference.bound.end() ? ParallelType::Serial : bound->second;
      own.bound[d] = folded != 0 ? for_folded(type) : type;
    }
  }
  for (DomainId d : own.loops) {
    if (contains(reference.loops, d)) continue;
    order[own.folded.contains(index_of(d))].push_back(d);
  }
  own.loops = std::move(order[0]);
  own.loops.insert(own.loops.end(), order[1].begin(), order[1].end());

  std::erase_if(own.bound, [](const auto& b) { return b.second == ParallelType::Serial; });
  std::map<ParallelType, DomainId> taken;
  for (const auto& [d, type] : own.bound) {
    if (!is_bound_once(type)) continue;
    const auto [it, is_new] = taken.emplace(type, d);
    if (is_new) continue;
    const bool is_own = contains(reference.loops, it->second);
    const DomainId mine = is_own ? d : it->second, theirs = is_own ? it->second : d;
    refuse<Illegal>("E413",
                    std::string(to_string(type)) + " of " + fusion()[t].name + " is bound to " +
                        name(t, mine) + ", and by the schedule of " + fusion()[of].name + " to " +
                        name(of, theirs),
                    "bind " + name(t, mine) + " to Serial, or to another type");
  }
  return own;
}

Schedule& Schedule::like(TensorId t, TensorId reference) {
  for (TensorId each : {t, reference}) {
    const TensorInfo& tensor = fusion()[each];
    if (!tensor.is_input && !is_inlined(each)) continue;
    refuse<Illegal>(
        "E422",
        tensor.name + (tensor.is_input ? " is an input" : " is inlined") + " and has no loops",
        tensor.is_input ? "cache it, and take the copy"
                        : "leave like out; or take a tensor that is computed in loops");
  }
  if (!like_if_shared(t, reference)) {
    refuse<Illegal>(
        "E422",
        fusion()[t].name + " has no iterdomain in common with " + fusion()[reference].name +
            ", or with what that is cut into",
        "leave like out, and cut it up by itself; or take a tensor that reads it at its "
        "own indices");
  }
  return *this;
}

bool Schedule::like_if_shared(TensorId t, TensorId reference) {
  std::optional<Nest> own = alike(t, reference);
  if (!own) return false;
  own->follows = false;
  if (own->site) put_shared_first(*own, nest(own->site->tensor).loops, *own->site);
  nest(t) = std::move(*own);
  return true;
}

Schedule& Schedule::stop_following(TensorId t) {
  nest(t).follows = false;
  return *this;
}

}  // namespace selvage
