// Schedule::scan_in_parts.
#include <selvage/base/refuse.h>
#include <selvage/ir/fold.h>
#include <selvage/ir/schedule_nest.h>

#include <algorithm>

namespace selvage {

namespace {

// A fold of the same kind over what it has folded already.
Fold again(const Fold& fold) {
  return {.how = fold.how, .type = fold.type, .element = fold.element};
}

// The items of each part, folded. Points past the end of the axis are holes.
TensorInfo sums_of(const TensorInfo& scan, DomainId part, DomainId item) {
  const std::size_t axis = *scan.fold->scanned;
  TensorInfo sums{.name = {}, .type = scan.fold->type};
  sums.root = sums.logical = scan.logical;
  sums.logical[axis] = part;
  sums.indices = scan.indices;
  sums.definition = scan.definition;
  sums.fold = again(*scan.fold);
  sums.fold->is_partial = true;
  sums.fold->domains = {item};
  sums.fold->original = {scan.logical[axis]};
  return sums;
}

// For each part the fold of all parts before it; for the first the value that changes nothing.
TensorInfo before_of(Fusion& fusion, TensorId sums, std::size_t axis) {
  const TensorInfo& of = fusion[sums];
  TensorInfo before{.name = {}, .type = of.type};
  before.logical = of.logical;
  before.fold = again(*of.fold);
  before.fold->scanned = axis;
  for (DomainId d : of.logical) {
    before.indices.push_back(fusion.fresh_index(fusion.domains()[d].name));
  }
  std::vector<Expr> at = before.indices;
  at[axis] = at[axis] - 1;
  ValueGraph& values = fusion.values();
  before.definition = values.read_or(before.type, std::uint32_t(sums), std::move(at),
                                     empty_state(values, *before.fold).front());
  return before;
}

// The items of each part, scanned.
TensorInfo own_of(const TensorInfo& scan, DomainId part, DomainId item) {
  const std::size_t axis = *scan.fold->scanned;
  TensorInfo own{.name = {}, .type = scan.fold->type};
  own.root = own.logical = scan.logical;
  own.logical[axis] = part;
  own.logical.insert(own.logical.begin() + std::ptrdiff_t(axis) + 1, item);
  own.indices = scan.indices;
  own.definition = scan.definition;
  own.fold = again(*scan.fold);
  own.fold->scanned = axis + 1;
  own.fold->original = {scan.logical[axis]};
  return own;
}

// Makes the scan a merge of what is before a part and of the part's own items.
void put_in_front(Fusion& fusion, TensorId t, std::vector<Expr> indices, Expr length,
                  const Schedule::ScanParts& made) {
  const Fold fold = *fusion[t].fold;
  const std::size_t axis = *fold.scanned;
  TensorInfo& whole = fusion.edit(t);
  whole.indices = indices;
  ValueGraph& values = fusion.values();
  const Expr n = indices[axis];
  indices[axis] = n / length;
  const ValueId before = values.read(fold.type, std::uint32_t(made.before), indices);
  indices.insert(indices.begin() + std::ptrdiff_t(axis) + 1, n % length);
  const ValueId own = values.read(fold.type, std::uint32_t(made.own), std::move(indices));
  whole.definition = values.as_element(merged(values, fold, {before}, {own}).front(), whole.type);
  whole.fold.reset();
}

}  // namespace

Schedule::ScanSplit Schedule::split_of_scan(TensorId t, ScheduledLoop item) const {
  const TensorInfo& tensor = fusion()[t];
  if (!is_scan(tensor) || has_part_of_root(tensor)) {
    refuse<Illegal>(
        "E421", tensor.name + (is_scan(tensor) ? " scans a part already" : " is no scan"),
        "leave scan_in_parts out" +
            std::string(is_scan(tensor) ? "" : ": of a reduction, rfactor makes parts"));
  }
  if (item.tensor != t) {
    refuse<Illegal>("E411", "scan_in_parts takes a loop of one tensor",
                    "take a loop of " + tensor.name);
  }
  position(item);
  const DomainId axis = folded_domain(tensor)[0];
  for (TransformId id : nest(t).transforms) {
    const auto* split = std::get_if<Split>(&graph_[id]);
    if (split == nullptr || split->in != axis || split->inner != item.domain) continue;
    if (contains(nest(t).loops, split->outer)) return {axis, split->outer, item.domain};
  }
  const std::string name = this->name(t, axis);
  refuse<Illegal>("E421",
                  this->name(t, item.domain) + " is not the inner of two loops that " + name +
                      ", along which " + tensor.name + " scans, was split into",
                  "split " + name + " once, and scan in parts before the two are cut up");
}

// Adds a tensor whose loops are those of t, as far as it has them.
TensorId Schedule::add_part_of_scan(Fusion changed, TensorInfo tensor, TensorId t, DomainId item) {
  Nest own = nest(t);
  own.making = std::make_shared<const Making>(
      Making{Making::Kind::ScanPart, t, own.loops, own.transforms, {item}});
  const std::vector<DomainId> loops = nest_domain(tensor), folded = folded_domain(tensor);
  if (tensor.root.empty()) {
    std::erase_if(own.loops, [&](DomainId d) { return !contains(loops, d); });
    own.transforms.clear();
    own.used.clear();
  }
  std::erase_if(own.bound, [&](const auto& b) { return !contains(own.loops, b.first); });
  own.folded.clear();
  for (DomainId d : folded) own.folded.insert(index_of(d));
  own.follows = own.inlined = false;
  own.site.reset();
  own.last_block_of.reset();
  own.memory.reset();
  own.allocation.clear();
  own.of_layout.clear();
  own.stages = 1;
  own.copied_by = CopyBy::LoadStore;
  own.role.reset();
  return add_tensor(std::move(changed), std::move(tensor), std::move(own));
}

Schedule::ScanParts Schedule::scan_in_parts(TensorId t, ScheduledLoop item, ScanNames names) {
  const ScanSplit split = split_of_scan(t, item);
  const std::size_t axis = *fusion()[t].fold->scanned;
  Schedule tried = *this;  // the second or third name may be refused
  const auto add = [&](const std::string& wanted, const char* what, const auto& make) {
    Fusion changed = tried.fusion().over(graph_);
    TensorInfo tensor = make(changed);
    tensor.name = wanted.empty() ? tried.unused_name(fusion()[t].name + what) : wanted;
    return tried.add_part_of_scan(std::move(changed), std::move(tensor), t, split.item);
  };
  ScanParts made;
  made.sums =
      add(names.sums, "_sums", [&](Fusion& f) { return sums_of(f[t], split.part, split.item); });
  made.before =
      add(names.before, "_before", [&](Fusion& f) { return before_of(f, made.sums, axis); });
  made.own =
      add(names.own, "_own", [&](Fusion& f) { return own_of(f[t], split.part, split.item); });

  Fusion changed = tried.fusion().over(graph_);
  std::vector<Expr> indices;
  for (DomainId d : changed[t].logical) indices.push_back(changed.fresh_index(name(t, d)));
  put_in_front(changed, t, std::move(indices), graph_[split.item].extent, made);
  tried.own_ = std::make_shared<const Fusion>(std::move(changed));
  Nest& whole = tried.nest(t);
  whole.folded.clear();
  whole.follows = false;
  *this = std::move(tried);
  return made;
}

}  // namespace selvage
