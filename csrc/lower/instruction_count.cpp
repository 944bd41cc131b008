#include <selvage/expr/symbols.h>
#include <selvage/ir/reads.h>
#include <selvage/lower/instruction_count.h>
#include <selvage/scheduler/launch_time.h>

#include <algorithm>
#include <map>

namespace selvage {

namespace {

constexpr double kInstructionsOfProbe = 6;  // of a search, with its load

class InstructionCount {
 public:
  InstructionCount(const Kernel& kernel, const StatementTree& tree, const KernelRequests& requests)
      : kernel_(kernel), tree_(tree), requests_(requests) {
    for (PlaceId id = 0; id < tree_.size(); ++id) note_changes(id);
  }

  double run(std::optional<PlaceId> within) {
    double n = 0;
    for (PlaceId id = 0; id < tree_.size(); ++id) {
      if (within && !tree_.is_inside(id, *within)) continue;
      const StatementParts parts = parts_of(*tree_[id].statement);
      const auto runs = double(requests_.runs[id]);
      for (const StatementAccess& a : parts.accesses) {
        n += runs * (is_memory(a.buffer) ? kInstructionsOfAccess : 1);
      }
      if (parts.value) n += of_value(id, *parts.value);
      n += runs * double(requests_.probes[id]) * kInstructionsOfProbe;
    }
    return double(kWarp) * n;
  }

 private:
  // A loop of a thread: what its iterations change.
  struct Changes {
    std::vector<Expr> variables = {};
    std::vector<BufferId> buffers = {};
  };
  // A loop around a statement, and how often it runs what stands in it.
  struct Around {
    const Changes* changes = nullptr;
    double runs = 0;
  };

  bool is_memory(BufferId b) const { return kernel_.buffers[b].memory != Memory::Local; }

  bool is_loop_of_thread(PlaceId id) const {
    const auto* loop = std::get_if<Loop>(&tree_[id].statement->node);
    return loop != nullptr && !is_index(loop->parallel);
  }

  void note_changes(PlaceId id) {
    const StatementTree::Node& node = tree_[id];
    std::vector<BufferId> written;
    for_each_access(*node.statement, kernel_.values, [&](const StatementAccess& a) {
      if (writes(a.kind)) written.push_back(a.buffer);
    });
    if (node.variable.valid() && is_loop_of_thread(id)) {
      changes_[id].variables.push_back(node.variable);
    }
    for (PlaceId p = node.parent; p != kTop; p = tree_[p].parent) {
      if (!is_loop_of_thread(p)) continue;
      Changes& changes = changes_[p];
      changes.buffers.insert(changes.buffers.end(), written.begin(), written.end());
      if (node.variable.valid()) changes.variables.push_back(node.variable);
    }
  }

  // The loops of a thread around a statement, innermost first; then the outermost place in front of
  // all of them.
  std::vector<Around> around(PlaceId id) {
    std::vector<Around> loops;
    PlaceId inside = id, outermost = id;
    for (PlaceId p = tree_[id].parent; p != kTop; p = tree_[p].parent) {
      if (is_loop_of_thread(p)) {
        loops.push_back({&changes_[p], double(requests_.runs[inside])});
        outermost = p;
      }
      inside = p;
    }
    loops.push_back({nullptr, double(requests_.runs[outermost])});
    return loops;
  }

  // Each node of a value runs as often as the innermost loop that changes it.
  double of_value(PlaceId id, ValueId root) {
    const std::vector<Around> loops = around(id);
    std::map<ValueId, std::size_t> places;
    double n = 0;
    for (ValueId v : values_under(kernel_.values, root)) {  // operands first
      const ValueNode& node = kernel_.values[v];
      std::size_t place = own_place(node, loops);
      for (ValueId operand : node.operands) place = std::min(place, places.at(operand));
      n += loops[place].runs * own_instructions(node);
      places[v] = place;
    }
    return n;
  }

  std::size_t own_place(const ValueNode& node, const std::vector<Around>& loops) const {
    for (std::size_t k = 0; k + 1 < loops.size(); ++k) {
      const Changes& changes = *loops[k].changes;
      const auto varies = [&](Expr e) { return mentions(e, changes.variables); };
      if (node.kind == ValueNode::Kind::Index && varies(node.index)) return k;
      if (node.kind != ValueNode::Kind::Read && node.kind != ValueNode::Kind::Search) continue;
      const bool is_written =
          std::ranges::find(changes.buffers, BufferId(node.source)) != changes.buffers.end();
      if (is_written || std::ranges::any_of(node.subscripts, varies)) return k;
    }
    return loops.size() - 1;
  }

  double own_instructions(const ValueNode& node) const {
    if (node.kind == ValueNode::Kind::Apply) return instructions_of(node.function, node.math);
    if (node.kind == ValueNode::Kind::Check)
      return 1;  // of the branch; its condition counts itself
    const bool is_access = node.kind == ValueNode::Kind::Read && is_memory(node.source);
    return is_access ? kInstructionsOfAccess : 0;
  }

  const Kernel& kernel_;
  const StatementTree& tree_;
  const KernelRequests& requests_;
  std::map<PlaceId, Changes> changes_;  // by loop
};

}  // namespace

double instructions_of(const Kernel& kernel, const StatementTree& tree,
                       const KernelRequests& requests, std::optional<PlaceId> within) {
  return InstructionCount(kernel, tree, requests).run(within);
}

}  // namespace selvage
