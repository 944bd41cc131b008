#include <selvage/ir/reads.h>
#include <selvage/scheduler/stored_tensors.h>

#include <algorithm>
#include <set>

namespace selvage {

bool is_gather(const ValueNode& node) {
  return node.kind == ValueNode::Kind::Read && !node.loaded.empty();
}

namespace {

Schedule with_stored_items(const Schedule& schedule, const DecidesOf& decides) {
  const Fusion& fusion = schedule.fusion();
  const DomainGraph& graph = fusion.domains();
  Schedule result = schedule;
  if (graph.rows() == 0) return result;
  // The rows whose number a tensor needs, itself or for what is inlined into it.
  std::vector<std::optional<RowsId>> needed(fusion.size());
  for (TensorId t : definition_order(fusion)) {
    const TensorInfo& tensor = fusion[t];
    if (!tensor.definition) continue;
    std::optional<RowsId> own = tensor.is_iterated_by_root ? tensor.items_of : std::nullopt;
    for (ValueId v : values_under(fusion.values(), *tensor.definition)) {
      const ValueNode& node = fusion.values()[v];
      if (node.kind != ValueNode::Kind::Read || !needed[node.source]) continue;
      const RowsId rows = *needed[node.source];
      const auto begins = [&](const LoadedIndex& l) { return same(l.symbol, graph[rows].begin); };
      const bool has_rows = tensor.is_iterated_by_root && tensor.items_of == rows;
      if (has_rows || std::ranges::any_of(node.loaded, begins)) {
        own = rows;
      } else if (decides(TensorId(node.source))) {
        result.materialize(TensorId(node.source));
        needed[node.source].reset();
      }
    }
    if (tensor.items_of && schedule.is_inlined(t)) needed[index_of(t)] = own;
  }
  return result;
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

class Finds {
 public:
  Finds(const Schedule& schedule, const DecidesOf& decides)
      : fusion_(schedule.fusion()),
        values_(fusion_.values()),
        schedule_(schedule),
        decides_(decides),
        made_(fusion_.size()),
        readers_(fusion_.size()) {}

  Schedule stored() {
    const std::vector<TensorId> order = definition_order(fusion_);
    for (TensorId t : order) {
      if (!fusion_[t].definition) continue;
      const Making own = making(t);
      if (schedule_.is_inlined(t)) made_[index_of(t)] = own;
    }
    // For which stored tensors each is computed.
    std::vector<std::set<TensorId>> stored_for(fusion_.size());
    for (auto t = order.rbegin(); t != order.rend(); ++t) {
      std::set<TensorId>& own = stored_for[index_of(*t)];
      for (TensorId reader : readers_[index_of(*t)]) {
        const std::set<TensorId>& further = stored_for[index_of(reader)];
        if (schedule_.is_inlined(reader))
          own.insert(further.begin(), further.end());
        else
          own.insert(reader);
      }
      if (made_[index_of(*t)].searches && own.size() > 1 && decides_(*t)) schedule_.materialize(*t);
    }
    return std::move(schedule_);
  }

 private:
  // What is done where a tensor is computed, and all that is inlined into it.
  struct Making {
    bool gathers = false, searches = false;
  };

  Making making(TensorId t) {
    Making own;
    for (ValueId v : values_under(values_, *fusion_[t].definition)) {
      const ValueNode& node = values_[v];
      if (node.kind != ValueNode::Kind::Read) continue;
      readers_[node.source].insert(t);
      Making& source = made_[node.source];
      if (is_gather(node)) {
        own.gathers = true;
        own.searches = own.searches || is_found(node);
        const bool is_item = is_item_of_rows(fusion_.domains(), node);
        if (source.searches && !is_item && decides_(TensorId(node.source))) {
          schedule_.materialize(TensorId(node.source));
          source = {};
        }
      }
      own.gathers = own.gathers || source.gathers;
      own.searches = own.searches || source.searches;
    }
    return own;
  }

  // Whether an index of a gather comes from a gather.
  bool is_found(const ValueNode& gather) const {
    for (std::size_t i = 0; i < gather.loaded.size(); ++i) {
      for (ValueId under : values_under(values_, gather.operands[i])) {
        const ValueNode& node = values_[under];
        if (node.kind != ValueNode::Kind::Read) continue;
        if (is_gather(node) || made_[node.source].gathers) return true;
      }
    }
    return false;
  }

  const Fusion& fusion_;
  const ValueGraph& values_;
  Schedule schedule_;
  const DecidesOf& decides_;
  std::vector<Making> made_;  // of those that are inlined
  std::vector<std::set<TensorId>> readers_;
};

}  // namespace

Schedule with_stored_tensors(const Schedule& schedule, const DecidesOf& decides) {
  return with_stored_items(Finds(schedule, decides).stored(), decides);
}

}  // namespace selvage
