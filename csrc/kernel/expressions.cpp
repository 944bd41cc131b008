#include <selvage/kernel/expressions.h>
#include <selvage/kernel/statements.h>

#include <algorithm>
#include <unordered_set>

namespace selvage {

namespace {

bool is_serial(const Loop& loop) { return !is_block(loop.parallel) && !is_thread(loop.parallel); }

// How a loop is left by what stands in a body, if that `counts`, and in loops in it.
void note_exits(const Body& body, Expr variable, bool counts, LoopExits& exits) {
  for (const Statement& s : body) {
    const auto* leave = std::get_if<Leave>(&s.node);
    if (leave != nullptr && counts && same(leave->loop, variable)) {
      (leave->is_next ? exits.goes_on : exits.ends) = true;
    }
    const auto* loop = std::get_if<Loop>(&s.node);
    const bool is_while = std::holds_alternative<While>(s.node);
    const bool is_loop = is_while || (loop != nullptr && is_serial(*loop));
    // An inner loop that has the same variable is left by what stands inside.
    if (is_loop && same(parts_of(s).variable, variable)) continue;
    const bool is_counted = counts || is_while || (loop != nullptr && iterates(*loop));
    for (const Body* inner : bodies(s)) note_exits(*inner, variable, is_counted, exits);
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
    for (const Statement& s : body) visit(s, depth);
  }
  void visit(const Statement& s, int depth) {
    const auto* loop = std::get_if<Loop>(&s.node);
    if (computes_its_expressions(s)) {
      for_each_expression(s, values_, [&](Expr e) { found_.all.push_back(e); });
    }
    if (const auto* named = std::get_if<Define>(&s.node); named != nullptr && !named->read) {
      found_.definitions.emplace_back(named->variable, named->value);
    }
    const bool is_while = std::holds_alternative<While>(s.node);
    if (is_while || (loop != nullptr && iterates(*loop))) ++depth;
    if (loop != nullptr && is_index(loop->parallel)) {
      define_axis({loop->variable, loop->parallel}, depth);
    } else if (const Expr variable = parts_of(s).variable; variable.valid()) {
      define(variable, depth);
    }
    for (const Body* inner : bodies(s)) visit(*inner, depth);
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

LoopExits exits_of(const Loop& loop) {
  LoopExits exits;
  note_exits(loop.body, loop.variable, true, exits);
  return exits;
}
LoopExits exits_from_inside(const Loop& loop) {
  LoopExits exits;
  note_exits(loop.body, loop.variable, false, exits);
  return exits;
}
bool is_left(const Loop& loop) {
  const LoopExits exits = exits_of(loop);
  return exits.ends || exits.goes_on;
}
bool runs_once(const Loop& loop) {
  return is_serial(loop) && !loop.begin.valid() && loop.extent.is_const(1) && !is_left(loop);
}
bool iterates(const Loop& loop) { return is_serial(loop) && !runs_once(loop); }

bool computes_its_expressions(const Statement& s) {
  const auto* loop = std::get_if<Loop>(&s.node);
  const auto* guard = std::get_if<Guard>(&s.node);
  return (loop == nullptr || iterates(*loop)) && (guard == nullptr || !guard->elects);
}

bool ComputedExpressions::is_axis(Expr variable) const {
  return std::any_of(axes.begin(), axes.end(),
                     [&](const Axis& a) { return same(a.variable, variable); });
}

ComputedExpressions computed_expressions(const Kernel& kernel) {
  return Walk(kernel.values).run(kernel.body);
}

}  // namespace selvage
