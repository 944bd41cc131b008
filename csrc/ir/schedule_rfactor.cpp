// Schedule::rfactor, and what all primitives that add tensors share.
#include <selvage/base/refuse.h>
#include <selvage/ir/schedule_nest.h>

#include <algorithm>

namespace selvage {

// Whether `some` come before all of `loops` that are not folded.
template <class IsFolded>
static bool stand_outside(const std::vector<DomainId>& loops, const std::vector<DomainId>& some,
                          const IsFolded& is_folded) {
  std::size_t seen = 0;
  for (DomainId d : loops) {
    if (contains(some, d)) ++seen;
    if (!is_folded(d)) return seen == some.size();
  }
  return false;  // there are no items
}

TensorId Schedule::add_tensor(Fusion changed, TensorInfo tensor, Nest own) {
  TensorId id{};
  try {
    id = changed.add(std::move(tensor));
  } catch (const BadInput& e) {
    throw Illegal(e.diagnostic());
  }
  own_ = std::make_shared<const Fusion>(std::move(changed));
  nests_.push_back(std::move(own));
  return id;
}

std::string Schedule::unused_name(const std::string& wanted) const {
  const auto is_taken = [&](const std::string& name) {
    const std::vector<Expr>& sizes = fusion().sizes();
    return fusion().find(name) ||
           std::any_of(sizes.begin(), sizes.end(), [&](Expr n) { return n.name() == name; });
  };
  std::string name = wanted;
  for (std::size_t k = 2; is_taken(name); ++k) name = wanted + std::to_string(k);
  return name;
}

void Schedule::drop_folded(Nest& own, const std::vector<DomainId>& kept) const {
  const auto is_folded = [&](DomainId d) { return own.folded.contains(index_of(d)); };
  std::erase_if(own.loops, [&](DomainId d) { return is_folded(d) && !contains(kept, d); });
  std::erase_if(own.bound, [&](const auto& bound) { return !contains(own.loops, bound.first); });
  std::erase_if(own.transforms, [&](TransformId id) {
    const bool is_of_folded = is_folded(inputs(graph_[id])[0]);
    if (is_of_folded) own.used.erase(index_of(id));
    return is_of_folded;
  });
  own.folded.clear();
  for (DomainId d : kept) own.folded.insert(index_of(d));
}

TensorId Schedule::rfactor(TensorId t, std::vector<ScheduledLoop> folded, std::string wanted) {
  const TensorInfo& tensor = fusion()[t];
  if (!tensor.fold || is_scan(tensor)) {
    refuse<Illegal>("E421",
                    tensor.name + (tensor.fold ? " is a scan, whose elements are each a fold"
                                               : " folds over nothing"),
                    "leave the rfactor out: it takes tensors that are reductions");
  }
  const auto names = [&](const std::vector<DomainId>& loops) {
    std::string text;
    for (DomainId d : loops) text += (text.empty() ? "" : ", ") + name(t, d);
    return text;
  };
  std::vector<DomainId> all;
  for (DomainId d : nest(t).loops) {
    if (is_folded(t, d)) all.push_back(d);
  }
  std::vector<DomainId> now, rest;  // folded by the partial tensor; by t after it
  for (ScheduledLoop l : folded) {
    if (l.tensor != t) {
      refuse<Illegal>("E411", "an rfactor takes loops of one tensor",
                      "take loops of " + tensor.name);
    }
    position(l);
    if (!is_folded(t, l.domain)) {
      refuse<Illegal>("E421", tensor.name + " does not fold over " + name(t, l.domain),
                      "take some of " + names(all) + ", over which it folds");
    }
    if (!contains(now, l.domain)) now.push_back(l.domain);
  }
  for (DomainId d : all) {
    if (!contains(now, d)) rest.push_back(d);
  }
  if (now.empty() || rest.empty()) {
    const std::string loops = names(all);
    refuse<Illegal>("E421",
                    now.empty() ? "no loop is given that a part of " + tensor.name + " folds over"
                                : "a part of " + tensor.name + " would fold over all of it, " +
                                      loops + ", and leave nothing to merge",
                    now.empty() ? "take one of " + loops : "split a loop, and take one of the two");
  }
  if (wanted.empty()) wanted = unused_name(tensor.name + "_part");

  Fusion changed = fusion().over(graph_);
  const Fold& old = *tensor.fold;
  TensorInfo part{.name = std::move(wanted), .type = old.type};
  part.root = definition_domain(tensor);
  part.indices = tensor.indices;
  part.definition = tensor.definition;
  part.logical = tensor.logical;
  part.logical.insert(part.logical.end(), rest.begin(), rest.end());
  if (stand_outside(nest(t).loops, rest, [&](DomainId d) { return is_folded(t, d); })) {
    part.allocation = rest;
    part.allocation.insert(part.allocation.end(), tensor.logical.begin(), tensor.logical.end());
  }
  part.fold = old;
  part.fold->is_partial = true;
  // The definition keeps its domain, the items; the loops are another cut of them.
  if (!old.indices.empty()) {
    part.root.insert(part.root.end(), old.domains.begin(), old.domains.end());
    part.indices.insert(part.indices.end(), old.indices.begin(), old.indices.end());
    part.fold->original = old.domains;
  }
  part.fold->domains = now;
  part.fold->indices.clear();

  TensorInfo& whole = changed.edit(t);
  whole.root.clear();
  whole.indices.clear();
  for (DomainId d : whole.logical) whole.indices.push_back(changed.fresh_index(name(t, d)));
  Fold& merging = *whole.fold;
  merging.original = old.is_partial ? std::vector<DomainId>{} : counted_domain(old);
  merging.merges = true;
  merging.domains = rest;
  merging.indices.clear();
  for (DomainId d : rest) merging.indices.push_back(changed.fresh_index(name(t, d)));
  std::vector<Expr> at = whole.indices;
  at.insert(at.end(), merging.indices.begin(), merging.indices.end());
  whole.definition = changed.values().read(part.type, std::uint32_t(changed.size()), std::move(at));

  Nest own = nest(t);
  own.making =
      std::make_shared<const Making>(Making{Making::Kind::Part, t, own.loops, own.transforms, now});
  own.follows = false;
  own.site.reset();
  own.last_block_of.reset();
  own.memory.reset();
  own.allocation.clear();
  own.of_layout.clear();
  own.stages = 1;
  own.copied_by = CopyBy::LoadStore;
  own.role.reset();
  own.meets_atomically = false;
  own.mean.reset();
  // The partial tensor folds over `now` alone.
  own.folded.clear();
  for (DomainId d : now) own.folded.insert(index_of(d));
  const TensorId id = add_tensor(std::move(changed), std::move(part), std::move(own));
  for (Nest& each : nests_) {
    if (each.site && each.site->tensor == t) each.site->tensor = id;
  }
  drop_folded(nest(t), rest);
  nest(t).follows = false;
  return id;
}

}  // namespace selvage
