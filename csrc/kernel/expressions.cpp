#include <selvage/ir/reads.h>
#include <selvage/kernel/expressions.h>
#include <selvage/kernel/value_nodes.h>

#include <algorithm>
#include <unordered_set>

namespace selvage {

namespace {

bool is_serial(const Loop& loop) { return !is_block(loop.parallel) && !is_thread(loop.parallel); }

// An inner loop that has the same variable is left by what stands inside.
bool leaves(const Body& body, Expr variable) {
  return std::any_of(body.begin(), body.end(), [&](const Statement& s) {
    if (const auto* leave = std::get_if<Leave>(&s.node)) return same(leave->loop, variable);
    if (const auto* guard = std::get_if<Guard>(&s.node)) {
      return leaves(guard->body, variable) || leaves(guard->otherwise, variable);
    }
    const auto* loop = std::get_if<Loop>(&s.node);
    if (loop == nullptr || (is_serial(*loop) && same(loop->variable, variable))) return false;
    return leaves(loop->body, variable);
  });
}

void note_exits(const Body& body, Expr variable, bool is_inside, LoopExits& exits) {
  for (const Statement& s : body) {
    if (const auto* leave = std::get_if<Leave>(&s.node)) {
      if (is_inside && same(leave->loop, variable))
        (leave->is_next ? exits.goes_on : exits.ends) = true;
    } else if (const auto* guard = std::get_if<Guard>(&s.node)) {
      note_exits(guard->body, variable, is_inside, exits);
      note_exits(guard->otherwise, variable, is_inside, exits);
    } else if (const auto* loop = std::get_if<Loop>(&s.node)) {
      if (is_serial(*loop) && same(loop->variable, variable)) continue;
      note_exits(loop->body, variable, is_inside || iterates(*loop), exits);
    }
  }
}

class Walk {
  using Axis = ComputedExpressions::Axis;

 public:
  explicit Walk(const ValueGraph& values) : values_(values) {}

  ComputedExpressions run(const Body& body) {
    visit(body, 0);
    std::erase_if(found_.axes, [&](const Axis& a) { return several_.count(a.variable.id()) > 0; });
    for (const Axis& a : found_.axes) found_.depth.erase(a.variable.id());
    return std::move(found_);
  }

 private:
  void visit(const Body& body, int depth) {
    for (const Statement& statement : body) {
      std::visit([&](const auto& s) { visit(s, depth); }, statement.node);
    }
  }
  void visit(const Loop& loop, int depth) {
    if (iterates(loop)) {
      if (loop.begin.valid()) found_.all.push_back(loop.begin);
      found_.all.push_back(loop.extent);
      ++depth;
    }
    if (is_index(loop.parallel)) {
      define_axis({loop.variable, loop.parallel}, depth);
    } else {
      define(loop.variable, depth);
    }
    visit(loop.body, depth);
  }
  void visit(const Define& definition, int depth) {
    found_.all.push_back(definition.value);
    found_.definitions.emplace_back(definition.variable, definition.value);
    define(definition.variable, depth);
  }
  void visit(const Guard& guard, int depth) {
    found_.all.push_back(guard.condition);
    visit(guard.body, depth);
    visit(guard.otherwise, depth);
  }
  void visit(const Transfer& transfer, int) {
    found_.all.push_back(transfer.to_address);
    found_.all.push_back(transfer.from_address);
  }
  void visit(const Barrier&, int) {}
  void visit(const Leave&, int) {}
  void visit(const Shuffle& shuffle, int) {
    found_.all.push_back(shuffle.to_address);
    found_.all.push_back(shuffle.from_address);
  }
  void visit(const Store& store, int) {
    found_.all.push_back(store.address);
    for (ValueId v : values_under(values_, store.value)) {
      for (Expr e : index_expressions(values_[v])) found_.all.push_back(e);
    }
  }
  void define(Expr variable, int depth) {
    const auto [it, fresh] = found_.depth.try_emplace(variable.id(), depth);
    if (!fresh) several_.insert(variable.id());
    it->second = std::max(it->second, depth);
  }
  void define_axis(const Axis& axis, int depth) {
    const auto known = [&](const Axis& a) { return same(a.variable, axis.variable); };
    const auto at = std::find_if(found_.axes.begin(), found_.axes.end(), known);
    if (at != found_.axes.end() && at->index == axis.index) return;
    define(axis.variable, depth);
    if (at == found_.axes.end()) found_.axes.push_back(axis);
  }

  const ValueGraph& values_;
  ComputedExpressions found_;
  std::unordered_set<std::uint32_t> several_;  // variables that are defined in several ways
};

}  // namespace

bool is_left(const Loop& loop) { return leaves(loop.body, loop.variable); }
LoopExits exits_from_inside(const Loop& loop) {
  LoopExits exits;
  note_exits(loop.body, loop.variable, false, exits);
  return exits;
}
bool runs_once(const Loop& loop) {
  return is_serial(loop) && !loop.begin.valid() && loop.extent.is_const(1) && !is_left(loop);
}
bool iterates(const Loop& loop) { return is_serial(loop) && !runs_once(loop); }

bool ComputedExpressions::is_axis(Expr variable) const {
  return std::any_of(axes.begin(), axes.end(),
                     [&](const Axis& a) { return same(a.variable, variable); });
}

ComputedExpressions computed_expressions(const Kernel& kernel) {
  return Walk(kernel.values).run(kernel.body);
}

}  // namespace selvage
