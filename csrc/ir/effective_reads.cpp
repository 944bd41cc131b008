#include <selvage/ir/effective_reads.h>
#include <selvage/ir/path.h>
#include <selvage/ir/reads.h>

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>

namespace selvage {

namespace {

using ReadAxes = std::vector<std::optional<DomainId>>;
// For each index symbol, the iterdomain of the reader that it stands for.
using Known = std::unordered_map<std::uint32_t, DomainId>;

// Whether a view has each item of its root once: it drops none and adds none.
bool has_items_of_root(const DomainGraph& graph, const TensorInfo& view) {
  const Path all = everything_from(graph, view.root, {});
  return std::ranges::none_of(
      needed_for(graph, all, view.root, view.logical).steps,
      [&](const Step& step) { return std::holds_alternative<Resize>(graph[step.transform]); });
}

// What the indices of an inlined tensor stand for if its items are read at `axes`. The indices of a
// view run over its root: they are known where the view leaves an iterdomain unchanged, and all of
// them where the view is read item by item, at its own iterdomains.
Known known_in(const Fusion& fusion, const TensorInfo& tensor, const ReadAxes& axes) {
  Known known;
  const std::vector<DomainId>& domain = definition_domain(tensor);
  // Along an axis of one item nothing moves, unless the item is one of several of the root's.
  bool is_item_by_item = true, is_along_all = true;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const DomainId own = tensor.logical[k];
    is_along_all &= axes[k] == own;
    is_item_by_item &= axes[k] == own || fusion.domains()[own].extent.is_const(1);
  }
  if (!tensor.root.empty() && is_item_by_item && !is_along_all) {
    is_item_by_item = has_items_of_root(fusion.domains(), tensor);
  }
  for (std::size_t k = 0; k < tensor.indices.size(); ++k) {
    const auto axis = std::find(tensor.logical.begin(), tensor.logical.end(), domain[k]);
    if (axis == tensor.logical.end()) {
      if (is_item_by_item) known.emplace(tensor.indices[k].id(), domain[k]);
      continue;
    }
    const auto& value = axes[std::size_t(axis - tensor.logical.begin())];
    if (value) known.emplace(tensor.indices[k].id(), *value);
  }
  return known;
}

ReadAxes axes_of(const ValueNode& read, const Known& known) {
  ReadAxes axes;
  for (Expr e : read.subscripts) {
    const auto it = known.find(e.id());
    axes.push_back(it == known.end() ? std::nullopt : std::optional(it->second));
  }
  return axes;
}

}  // namespace

EffectiveReads::EffectiveReads(const Fusion& fusion, const Schedule& schedule)
    : fusion_(fusion),
      schedule_(schedule),
      order_(selvage::definition_order(fusion)),
      places_(fusion.size()) {
  for (std::size_t k = 0; k < order_.size(); ++k) places_[index_of(order_[k])] = k;
}

// Visits each tensor after all its readers, so that all reads of it are known. Where two reads
// differ in an axis, the axis has no iterdomain.
std::vector<EffectiveRead> EffectiveReads::of(TensorId reader) const {
  std::vector<EffectiveRead> list;
  std::map<std::size_t, EffectiveRead, std::greater<>> open;  // by place, last first
  const auto visit = [&](TensorId t, const Known& known, const ReadAxes& at) {
    if (!fusion_[t].definition) return;
    std::optional<EffectiveRead::Through> through;
    if (t != reader && !fusion_[t].root.empty()) through = {t, at};
    for (ValueId v : values_under(fusion_.values(), *fusion_[t].definition)) {
      const ValueNode& node = fusion_.values()[v];
      if (node.kind != ValueNode::Kind::Read) continue;
      const ReadAxes axes = axes_of(node, known);
      const auto [it, is_new] = open.try_emplace(
          places_[node.source], EffectiveRead{TensorId(node.source), axes, through});
      if (is_new) continue;
      EffectiveRead& read = it->second;
      for (std::size_t k = 0; k < axes.size(); ++k) {
        if (read.axes[k] != axes[k]) read.axes[k].reset();
      }
      if (read.through != through) read.through.reset();
    }
  };
  const TensorInfo& info = fusion_[reader];
  Known known;
  const std::vector<DomainId>& domain = definition_domain(info);
  for (std::size_t k = 0; k < info.indices.size(); ++k) {
    known.emplace(info.indices[k].id(), domain[k]);
  }
  for (std::size_t k = 0; info.fold && k < info.fold->indices.size(); ++k) {
    known.emplace(info.fold->indices[k].id(), info.fold->domains[k]);
  }
  visit(reader, known, {});
  while (!open.empty()) {
    EffectiveRead read = std::move(open.begin()->second);
    open.erase(open.begin());
    const TensorId t = read.source;
    if (!fusion_[t].is_input && schedule_.is_inlined(t)) {
      visit(t, known_in(fusion_, fusion_[t], read.axes), read.axes);
    } else {
      list.push_back(std::move(read));
    }
  }
  return list;
}

}  // namespace selvage
