#include <selvage/base/refuse.h>
#include <selvage/ir/reads.h>
#include <selvage/scheduler/defaults.h>
#include <selvage/scheduler/kept_indices.h>

#include <set>

namespace selvage {

namespace {

bool is_gather(const ValueNode& node) {
  return node.kind == ValueNode::Kind::Read && !node.loaded.empty();
}

// Whether a gather is of an item of rows, which is read where its row begins.
bool is_item_of_rows(const DomainGraph& graph, const ValueNode& gather) {
  return std::ranges::any_of(gather.loaded, [&](const LoadedIndex& l) {
    for (std::size_t k = 0; k < graph.rows(); ++k) {
      if (same(l.symbol, graph[RowsId(std::uint32_t(k))].begin)) return true;
    }
    return false;
  });
}

// What a tensor does where it is recomputed.
struct Finding {
  bool gathers = false, searches = false;
};

}  // namespace

Schedule with_stored_finds(const Schedule& schedule) {
  const Fusion& fusion = schedule.fusion();
  const ValueGraph& values = fusion.values();
  Schedule result = schedule;
  std::vector<Finding> found(fusion.size());
  std::vector<std::set<TensorId>> readers(fusion.size());
  for (TensorId t : definition_order(fusion)) {
    if (!fusion[t].definition) continue;
    Finding own;
    for (ValueId v : values_under(values, *fusion[t].definition)) {
      const ValueNode& node = values[v];
      if (node.kind != ValueNode::Kind::Read) continue;
      readers[node.source].insert(t);
      Finding& source = found[node.source];
      if (is_gather(node)) {
        own.gathers = true;
        for (std::size_t i = 0; i < node.loaded.size(); ++i) {
          for (ValueId under : values_under(values, node.operands[i])) {
            const ValueNode& read = values[under];
            const bool is_read = read.kind == ValueNode::Kind::Read;
            if (is_read && (is_gather(read) || found[read.source].gathers)) own.searches = true;
          }
        }
        if (source.searches && !is_item_of_rows(fusion.domains(), node)) {
          result.materialize(TensorId(node.source));
          source = {};
        }
      }
      own.gathers = own.gathers || source.gathers;
      own.searches = own.searches || source.searches;
    }
    if (schedule.is_inlined(t)) found[index_of(t)] = own;
  }
  for (std::size_t s = 0; s < fusion.size(); ++s) {
    const auto is_stored = [&](TensorId t) { return !result.is_inlined(t); };
    if (found[s].searches && std::ranges::count_if(readers[s], is_stored) > 1) {
      result.materialize(TensorId(s));
    }
  }
  return result;
}

void keep_indices(Schedule& schedule) {
  const Fusion& fusion = schedule.fusion();
  const ValueGraph& values = fusion.values();
  std::set<TensorId> readers, indices;  // what reads through gathers, and what is in their indices
  for (std::size_t k = 0; k < fusion.size(); ++k) {
    const auto t = TensorId(k);
    if (!fusion[t].definition) continue;
    for (ValueId v : values_under(values, *fusion[t].definition)) {
      const ValueNode& node = values[v];
      if (!is_gather(node)) continue;
      readers.insert(t);
      for (std::size_t i = 0; i < node.loaded.size(); ++i) {
        for (ValueId under : values_under(values, node.operands[i])) {
          const ValueNode& read = values[under];
          if (read.kind == ValueNode::Kind::Read) indices.insert(TensorId(read.source));
        }
      }
    }
  }
  // How many items a row has is no number, so no registers hold them.
  std::erase_if(indices, [&](TensorId t) {
    return !readers.contains(t) || !schedule.is_inlined(t) || fusion[t].is_output ||
           fusion[t].is_iterated_by_root;
  });
  if (indices.empty()) return;
  Schedule kept = schedule;
  for (TensorId t : indices) kept.materialize(t).keep_in(t, Memory::Local);
  if (!refusal_of([&] { with_defaults(kept); })) schedule = std::move(kept);
}

}  // namespace selvage
