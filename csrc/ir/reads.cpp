#include <selvage/base/check.h>
#include <selvage/base/recycling.h>
#include <selvage/ir/reads.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

namespace selvage {

// Operands have smaller ids than their users, so from the largest id down a value has been met by
// all of its users when its turn comes. `met`: a bit for each value whose turn is still to come.
std::vector<ValueId> values_under(const ValueGraph& values, ValueId root) {
  if (values[root].operands.empty()) return {root};
  constexpr std::size_t kBits = 64;
  std::vector<ValueId> all;
  all.reserve(16);
  std::vector<std::uint64_t, Recycling<std::uint64_t>> met(std::size_t(root) / kBits + 1);
  const auto meet = [&](ValueId v) {
    met[std::size_t(v) / kBits] |= std::uint64_t{1} << std::size_t(v) % kBits;
  };
  meet(root);
  for (std::size_t word = met.size(); word-- > 0;) {
    while (met[word] != 0) {
      const auto last = std::size_t(std::bit_width(met[word]) - 1);
      const auto v = ValueId(word * kBits + last);
      met[word] ^= std::uint64_t{1} << last;
      all.push_back(v);
      for (ValueId operand : values[v].operands) meet(operand);
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

std::vector<TensorId> offsets_of(const Fusion& fusion, TensorId t) {
  const DomainGraph& graph = fusion.domains();
  std::vector<TensorId> all;
  if (graph.rows() == 0) return all;
  const auto add = [&](RowsId rows) {
    const auto offsets = TensorId(graph[rows].offsets);
    if (std::ranges::find(all, offsets) == all.end()) all.push_back(offsets);
  };
  if (fusion[t].items_of) add(*fusion[t].items_of);
  for (DomainId d : nest_domain(fusion[t])) {
    if (graph[d].ragged) add(graph[d].ragged->rows);
  }
  return all;
}

bool reads_tell_extent(const Fusion& fusion, ValueId definition, Expr index, Expr extent) {
  bool is_told = false;
  for (ValueId v : values_under(fusion.values(), definition)) {
    const ValueNode& node = fusion.values()[v];
    if (node.kind != ValueNode::Kind::Read) continue;
    const std::vector<Expr> extents = fusion.shape(TensorId(node.source));
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      if (!same(node.subscripts[axis], index)) continue;
      if (!same(extents[axis], extent)) return false;
      is_told = true;
    }
  }
  return is_told;
}

std::vector<bool> are_read(const Fusion& fusion) {
  std::vector<bool> read(fusion.size());
  for (std::size_t k = 0; k < fusion.size(); ++k) {
    for (TensorId source : tensors_read(fusion, TensorId(k))) read[index_of(source)] = true;
  }
  return read;
}

std::vector<TensorId> definition_order(const Fusion& fusion) {
  std::vector<std::vector<TensorId>> reads(fusion.size());
  std::vector<TensorId> order;
  bool in_order = true;
  for (std::size_t k = 0; k < fusion.size(); ++k) {
    order.push_back(TensorId(k));
    reads[k] = tensors_read(fusion, TensorId(k));
    for (TensorId offsets : offsets_of(fusion, TensorId(k))) reads[k].push_back(offsets);
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

const AxisMode* mode_of(const ValueNode& read, std::size_t axis) {
  const auto at =
      std::ranges::find_if(read.modes, [&](const AxisMode& m) { return m.axis == axis; });
  return at == read.modes.end() ? nullptr : &*at;
}

Expr written_subscript(const ValueNode& read, std::size_t axis) {
  const AxisMode* mode = mode_of(read, axis);
  return mode == nullptr ? read.subscripts[axis] : mode->of;
}

ValueId rewritten(ValueGraph& values, ValueId root,
                  const std::function<std::optional<ValueNode>(ValueId)>& changed) {
  std::unordered_map<std::uint32_t, ValueId> other;  // by value that changes
  for (ValueId v : values_under(values, root)) {
    std::optional<ValueNode> own = changed(v);
    bool changes = own.has_value();
    ValueNode node = changes ? *std::move(own) : values[v];
    for (ValueId& operand : node.operands) {
      const auto it = other.find(std::uint32_t(operand));
      if (it == other.end()) continue;
      operand = it->second;
      changes = true;
    }
    if (changes) other[std::uint32_t(v)] = values.add(std::move(node));
  }
  const auto it = other.find(std::uint32_t(root));
  return it == other.end() ? root : it->second;
}

void redirect_reads(Fusion& fusion, TensorId reader, TensorId from, TensorId to) {
  TensorInfo& info = fusion.edit(reader);
  if (!info.definition) return;
  const std::vector<TensorId> sources = tensors_read(fusion, reader);
  if (std::ranges::find(sources, from) == sources.end()) return;
  const auto redirected = [&](ValueId v) -> std::optional<ValueNode> {
    ValueNode node = fusion.values()[v];
    if (node.kind != ValueNode::Kind::Read || TensorId(node.source) != from) return std::nullopt;
    node.source = std::uint32_t(to);
    return node;
  };
  info.definition = rewritten(fusion.values(), *info.definition, redirected);
}

}  // namespace selvage
