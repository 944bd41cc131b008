#include <selvage/base/check.h>
#include <selvage/base/recycling.h>
#include <selvage/ir/reads.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace selvage {

// Takes values from the largest id down, as reachable() does with expressions. Operands have
// smaller ids than their users, so the copies of one value in the heap come out one after another.
std::vector<ValueId> values_under(const ValueGraph& values, ValueId root) {
  if (values[root].operands.empty()) return {root};
  std::vector<ValueId> all;
  std::vector<ValueId, Recycling<ValueId>> open;
  all.reserve(16);
  open.reserve(16);
  open.push_back(root);
  while (!open.empty()) {
    std::pop_heap(open.begin(), open.end());
    const ValueId v = open.back();
    open.pop_back();
    if (!all.empty() && all.back() == v) continue;
    all.push_back(v);
    for (ValueId operand : values[v].operands) {
      open.push_back(operand);
      std::push_heap(open.begin(), open.end());
    }
  }
  std::reverse(all.begin(), all.end());
  return all;
}

std::vector<TensorId> tensors_read(const Fusion& fusion, TensorId t) {
  std::vector<TensorId> sources;
  if (!fusion[t].definition) return sources;
  std::unordered_set<std::uint32_t> seen;
  for (ValueId v : values_under(fusion.values(), *fusion[t].definition)) {
    const ValueNode& node = fusion.values()[v];
    if (node.kind != ValueNode::Kind::Read) continue;
    if (seen.insert(node.source).second) sources.push_back(TensorId(node.source));
  }
  return sources;
}

std::vector<TensorId> definition_order(const Fusion& fusion) {
  std::vector<std::vector<TensorId>> reads(fusion.size());
  std::vector<TensorId> order;
  bool in_order = true;
  for (std::size_t k = 0; k < fusion.size(); ++k) {
    order.push_back(TensorId(k));
    reads[k] = tensors_read(fusion, TensorId(k));
    for (TensorId source : reads[k]) in_order = in_order && source < TensorId(k);
  }
  if (in_order) return order;
  // Depth first from each tensor in turn: first what it reads, then the tensor itself.
  order.clear();
  std::vector<char> is_listed(fusion.size(), 0);
  struct Visit {
    TensorId tensor;
    std::size_t next = 0;
  };
  for (std::size_t k = 0; k < fusion.size(); ++k) {
    std::vector<Visit> open = {{TensorId(k)}};
    while (!open.empty()) {
      Visit& visit = open.back();
      const std::size_t at = index_of(visit.tensor);
      if (is_listed[at]) {
        open.pop_back();
      } else if (visit.next < reads[at].size()) {
        const TensorId source = reads[at][visit.next++];
        SELVAGE_CHECK(open.size() <= fusion.size());  // no tensor reads itself
        if (!is_listed[index_of(source)]) open.push_back({source});
      } else {
        is_listed[at] = 1;
        order.push_back(visit.tensor);
        open.pop_back();
      }
    }
  }
  return order;
}

void redirect_reads(Fusion& fusion, TensorId reader, TensorId from, TensorId to) {
  TensorInfo& info = fusion.edit(reader);
  if (!info.definition) return;
  ValueGraph& values = fusion.values();
  std::unordered_map<std::uint32_t, ValueId> other;  // replacements of values that change
  for (ValueId v : values_under(values, *info.definition)) {
    ValueNode node = values[v];
    bool changes = node.kind == ValueNode::Kind::Read && TensorId(node.source) == from;
    if (changes) node.source = std::uint32_t(to);
    for (ValueId& operand : node.operands) {
      const auto it = other.find(std::uint32_t(operand));
      if (it == other.end()) continue;
      operand = it->second;
      changes = true;
    }
    if (changes) other[std::uint32_t(v)] = values.add(std::move(node));
  }
  const auto it = other.find(std::uint32_t(*info.definition));
  if (it != other.end()) info.definition = it->second;
}

}  // namespace selvage
