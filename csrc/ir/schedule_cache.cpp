// Copies of tensors.
#include <selvage/base/refuse.h>
#include <selvage/ir/reads.h>
#include <selvage/ir/schedule_nest.h>

#include <algorithm>

namespace selvage {

namespace {

// Makes a tensor a copy of `source`, which has the same shape; the indices get these names.
void copy_from(TensorInfo& tensor, Fusion& fusion, TensorId source, DataType type,
               const std::vector<std::string>& names) {
  tensor.indices.clear();
  for (const std::string& name : names) tensor.indices.push_back(fusion.fresh_index(name));
  tensor.definition = fusion.values().read(type, std::uint32_t(source), tensor.indices);
}

}  // namespace

TensorId Schedule::cache(TensorId t, std::string wanted, Memory memory) {
  const TensorInfo& tensor = fusion()[t];
  if (wanted.empty()) wanted = unused_name(tensor.name + "_copy");
  std::vector<TensorId> readers;
  for (std::size_t k = 0; k < fusion().size(); ++k) {
    const std::vector<TensorId> sources = tensors_read(fusion(), TensorId(k));
    if (std::count(sources.begin(), sources.end(), t) != 0) readers.push_back(TensorId(k));
  }
  const bool is_before = readers.empty();
  if (is_before && !tensor.is_output) {
    refuse<Illegal>("E420", "nothing reads " + tensor.name + ", and it is no output",
                    "leave the cache out: nothing would read the copy");
  }
  if (tensor.fold && tensor.fold->is_partial) {
    refuse<Illegal>("E420", tensor.name + " holds states of a fold, and a copy holds elements",
                    "say where " + tensor.name + " itself is kept: memory: shared");
  }
  const Nest& old = nest(t);
  for (std::size_t k = 0; is_before && k < nests_.size(); ++k) {
    const std::optional<Site>& site = nests_[k].site;
    if (!site || site->tensor != t || !site->loop || !is_folded(t, *site->loop)) continue;
    if (is_scan(tensor)) continue;  // it keeps all of its loops
    refuse<Illegal>("E420",
                    fusion()[TensorId(k)].name + " is computed at " + name(t, *site->loop) +
                        ", which " + tensor.name +
                        " would lose: what folds over it would be the cache",
                    "cache " + tensor.name + " first, and compute " + fusion()[TensorId(k)].name +
                        " at a loop of the cache");
  }

  Fusion changed = fusion().over(graph_);
  const auto id = TensorId(changed.size());
  TensorInfo copy{.name = std::move(wanted), .type = tensor.type};
  copy.logical = tensor.logical;
  std::vector<std::string> names;
  for (DomainId d : tensor.logical) names.push_back(name(t, d));
  Nest fresh;
  fresh.memory = memory;
  fresh.making = std::make_shared<const Making>(
      Making{is_before ? Making::Kind::CacheBefore : Making::Kind::CacheAfter,
             t,
             old.loops,
             old.transforms,
             {}});
  if (!is_before) {
    copy_from(copy, changed, t, tensor.type, names);
    for (TensorId reader : readers) redirect_reads(changed, reader, t, id);
    fresh.loops = copy.logical;
    for (DomainId d : copy.logical) fresh.names[d] = name(t, d);
    return add_tensor(std::move(changed), std::move(copy), std::move(fresh));
  }

  copy.root = tensor.root;
  copy.indices = tensor.indices;
  copy.definition = tensor.definition;
  copy.fold = tensor.fold;
  fresh.loops = nest_domain(copy);
  for (const std::vector<DomainId>& domains : {fresh.loops, copy.root}) {
    for (DomainId d : domains) fresh.names[d] = name(t, d);
  }
  for (DomainId d : folded_domain(copy)) fresh.folded.insert(index_of(d));
  // The view's transforms are those between its root and its logical domain.
  if (!copy.root.empty()) {
    const Path view = everything_from(graph_, copy.root, old.transforms);
    for (const Step& step : needed_for(graph_, view, copy.root, fresh.loops).steps) {
      if (fresh.used.insert(index_of(step.transform)).second) {
        fresh.transforms.push_back(step.transform);
      }
    }
  }
  TensorInfo& whole = changed.edit(t);
  copy_from(whole, changed, id, copy.type, names);
  whole.root.clear();
  whole.fold.reset();
  const TensorId made = add_tensor(std::move(changed), std::move(copy), std::move(fresh));
  if (is_scan(fusion()[made])) {
    nest(t).folded.clear();  // these loops go through its items, too
  } else {
    drop_folded(nest(t), {});
  }
  nest(t).meets_atomically = false;  // it folds no more
  return made;
}

}  // namespace selvage
