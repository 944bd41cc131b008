#include <selvage/base/check.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/tape.h>
#include <selvage/ir/reads.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/kernel/value_nodes.h>
#include <selvage/legality/unswitch.h>
#include <selvage/lower/lanes.h>

#include <algorithm>
#include <map>
#include <set>

namespace selvage {

namespace {

class Builder {
 public:
  Builder(const Fusion& fusion, const DomainGraph& graph, const TensorAnalysis& analysis,
          KernelDraft& draft)
      : fusion_(fusion),
        graph_(graph),
        analysis_(analysis),
        vector_(*analysis.vector),
        storages_(draft.storages),
        kernel_(draft.kernel),
        under_(*analysis.vector->in_full_groups) {
    out_.conditions = vector_.finding.conditions;
    // Each element may be of a row of its own.
    for (const RowNumber& number : analysis.rows) {
      const std::vector<Expr> told_by =
          number.search ? std::vector{number.search->position, number.search->first}
                        : std::vector{number.row};
      const RaggedRows& rows = graph[number.rows];
      const auto differs = [&](Expr e) { return varies(e) || is_loaded(e); };
      if (std::ranges::none_of(told_by, differs)) continue;
      varying_.insert(varying_.end(), {rows.row, rows.begin, rows.end});
    }
  }

  Lanes build(std::span<const Store> stores, std::span<const Define> numbers) {
    for (Define number : numbers) {
      if (!varies(*number.read)) {
        out_.common_numbers.push_back(number);
        continue;
      }
      // Known before the reads of the value are looked at: no number varies with itself.
      varying_.push_back(number.variable);
      number.read = with_wide_reads(*number.read);
      out_.own_numbers.push_back(number);
    }
    for (const Store& store : stores) {
      Store element = store;
      element.value = with_wide_reads(store.value);
      out_.elements.push_back(std::move(element));
    }
    if (!vector_.is_stored) return std::move(out_);
    SELVAGE_CHECK(stores.size() == 1);
    const Store& store = stores[0];
    kernel_.items.also_at(store.buffer, store.address, vector_.start);
    const BufferId lanes = add_lanes(store.buffer);
    out_.elements[0] = {
        .buffer = lanes, .address = vector_.variable, .value = out_.elements[0].value, .valid = {}};
    out_.store = {.to = store.buffer,
                  .from = lanes,
                  .to_address = vector_.start,
                  .from_address = zero(),
                  .width = vector_.width,
                  .lane = vector_.variable,
                  .valid = store.valid,
                  .duplicates_allowed = store.duplicates_allowed};
    return std::move(out_);
  }

 private:
  Expr zero() const { return kernel_.pool->constant(0); }

  BufferId add_lanes(BufferId of) {
    const Buffer& buffer = kernel_.buffers[of];
    kernel_.buffers.push_back({.name = buffer.name + ".lanes",
                               .type = buffer.type,
                               .memory = Memory::Local,
                               .elements = kernel_.pool->constant(vector_.width),
                               .is_written = true});
    return BufferId(kernel_.buffers.size() - 1);
  }

  bool varies(Expr address) const {
    const std::vector<Expr> symbols = symbols_of(address);
    return selvage::contains(symbols, vector_.variable);
  }
  // Whether the address depends on a number that is read for each element: then no proof about
  // neighbouring elements holds, as it would take the number for the same.
  bool is_loaded(Expr address) const {
    const std::vector<Expr> symbols = symbols_of(address);
    return std::ranges::any_of(varying_, [&](Expr n) { return selvage::contains(symbols, n); });
  }
  bool varies(ValueId value) const {
    const std::vector<ValueId> nodes = values_under(kernel_.values, value);
    return std::ranges::any_of(nodes, [&](ValueId v) {
      const auto expressions = index_expressions(kernel_.values[v]);
      return std::ranges::any_of(expressions, [&](Expr e) { return varies(e) || is_loaded(e); });
    });
  }

  // Finds the values below `value` that are evaluated at every point of a group. A read below a
  // select on an index condition, at whatever depth, is not: it may be out of bounds.
  void find_always_read(ValueId value) {
    std::vector<ValueId> open = {value};
    while (!open.empty()) {
      const ValueId v = open.back();
      open.pop_back();
      if (!always_read_.insert(v).second) continue;
      const ValueNode& node = kernel_.values[v];
      const bool is_masked = node.kind == ValueNode::Kind::Apply &&
                             node.function == Function::Select &&
                             kernel_.values[node.operands[0]].kind == ValueNode::Kind::Index;
      for (std::size_t k = 0; k < node.operands.size(); ++k) {
        if (!is_masked || k != 1) open.push_back(node.operands[k]);
      }
    }
  }

  // The value, with each read that one access can serve for a whole group replaced by one of lanes.
  ValueId with_wide_reads(ValueId value) {
    std::map<ValueId, ValueId>& made = made_;
    const std::vector<ValueId> nodes = values_under(kernel_.values, value);
    find_always_read(value);
    for (ValueId v : nodes) {
      if (made.contains(v)) continue;
      ValueNode node = kernel_.values[v];
      bool changed = false;
      if (node.kind == ValueNode::Kind::Read && varies(node.subscripts[0]) &&
          always_read_.contains(v) && !is_loaded(node.subscripts[0])) {
        if (const auto lanes = load(node)) {
          node.source = *lanes;
          node.subscripts = {vector_.variable};
          changed = true;
        }
      }
      for (ValueId& o : node.operands) {
        changed = changed || made.at(o) != o;
        o = made.at(o);
      }
      made[v] = changed ? kernel_.values.add(std::move(node)) : v;
    }
    return made.at(value);
  }

  std::optional<BufferId> load(const ValueNode& read) {
    const Buffer& source = kernel_.buffers[read.source];
    if (!source.holds || source.memory == Memory::Local) return std::nullopt;
    const std::int64_t widest = kWidestAccess / size_of(source.type);
    const std::int64_t aligned = std::min(vector_.width, widest);
    // A bulk copy moves all of it.
    const std::int64_t width = vector_.bytes > kWidestAccess ? vector_.width : aligned;
    const Expr address = read.subscripts[0];
    const auto own = storages_.find(read.source);
    const Storage where =
        own != storages_.end() ? *own->second : storage_of(fusion_, source.holds->tensor);
    const auto axes = axes_of(graph_, where, *analysis_.ranges);
    const GroupAccess group = group_access(under_, address, vector_.variable, vector_.width,
                                           aligned, where, axes, out_.conditions);
    if (!group.is_legal()) return std::nullopt;
    out_.conditions.insert(out_.conditions.end(), group.conditions.begin(), group.conditions.end());
    if (group.base) out_.conditions.push_back(*group.base);
    const BufferId lanes = add_lanes(read.source);
    for (std::int64_t k = 0; k < vector_.width; k += width) {
      const Expr from = k == 0 ? group.start : group.start + k;
      if (const Item* item = kernel_.items.find(read.source, address)) {
        Item moved = *item;
        for (Expr& index : moved.indices) {
          index = substitute(index, {{vector_.variable, vector_.variable + k}});
        }
        kernel_.items.add(read.source, from, std::move(moved));
      }
      out_.loads.push_back({.to = lanes,
                            .from = read.source,
                            .to_address = kernel_.pool->constant(k),
                            .from_address = from,
                            .width = width,
                            .lane = vector_.variable,
                            .valid = {},
                            .duplicates_allowed = true});
    }
    return lanes;
  }

  const Fusion& fusion_;
  const DomainGraph& graph_;
  const TensorAnalysis& analysis_;
  const VectorAccess& vector_;
  const std::map<BufferId, const Storage*>& storages_;
  Kernel& kernel_;
  Simplifier& under_;  // what holds in full groups
  Lanes out_;
  std::map<ValueId, ValueId> made_;
  std::set<ValueId> always_read_;
  std::vector<Expr> varying_;  // numbers from memory that differ from element to element
};

}  // namespace

Lanes lanes_of(const Fusion& fusion, const DomainGraph& graph, const TensorAnalysis& analysis,
               std::span<const Store> stores, std::span<const Define> numbers, KernelDraft& draft) {
  return Builder(fusion, graph, analysis, draft).build(stores, numbers);
}

}  // namespace selvage
