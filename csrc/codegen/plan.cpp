#include <selvage/base/refuse.h>
#include <selvage/codegen/plan.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/kernel/statements.h>

#include <algorithm>

namespace selvage {

namespace {

// The weight from which an expression gets a name: two operators, or one that is slow.
constexpr int kWorthNaming = 2;

int operator_weight(Op op) {
  switch (op) {
    case Op::Const:
    case Op::Bool:
    case Op::Symbol:
    case Op::Let: return 0;
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Xor:
    case Op::Lt:
    case Op::Le:
    case Op::Eq:
    case Op::Not:
    case Op::And:
    case Op::Or: return 1;
    case Op::Div:
    case Op::Mod:
    case Op::Min:
    case Op::Max:
    case Op::Select:
    case Op::Load:
    case Op::Call: return kWorthNaming;
  }
  return 0;
}

class Planner {
 public:
  Planner(const Kernel& kernel, const Forms& forms, Scope& scope)
      : kernel_(kernel), forms_(forms), scope_(scope) {}

  Plan run() {
    visit(kernel_.body);
    for (auto& [at, temporaries] : plan_.temporaries) {
      // Operands before what uses them; otherwise in the order in which they were first used.
      std::stable_sort(temporaries.begin(), temporaries.end(),
                       [&](Expr a, Expr b) { return shape(a).height < shape(b).height; });
    }
    return std::move(plan_);
  }

 private:
  void visit(const Body& body) {
    std::size_t defined = 0;
    for (const Statement& s : body) {
      const auto* define = std::get_if<Define>(&s.node);
      if (define != nullptr && define->read) {
        // What is promised of a number is not written.
        for (ValueId v : values_under(kernel_.values, *define->read)) {
          for (Expr e : index_expressions(kernel_.values[v])) count(e);
        }
      } else if (computes_its_expressions(s)) {
        for_each_expression(s, kernel_.values, [&](Expr e) { count(e); });
      }
      const auto* guard = std::get_if<Guard>(&s.node);
      const Expr variable = parts_of(s).variable;
      const auto all = bodies(s);
      for (std::size_t k = 0; k < all.size(); ++k) {
        if (k > 0 && all[k]->empty()) continue;
        if (guard == nullptr && !variable.valid()) {
          scope_.enter_body(s);
        } else if (guard == nullptr) {
          scope_.enter(s, variable);
        } else if (k == 0) {
          scope_.enter_guard(s, guard->condition);
        } else {
          scope_.enter_otherwise(*guard);
        }
        visit(*all[k]);
        scope_.leave();
      }
      if (all.size() > 0 || !variable.valid()) continue;
      scope_.enter(s, variable);
      ++defined;
    }
    for (; defined > 0; --defined) scope_.leave();
  }

  void count(Expr e) { count(forms_(e), scope_.points().size() - 1); }

  // Counts one place where e is written. It is computed at the point `at`, unless it gets a name.
  void count(Expr e, std::size_t at) {
    if (e.is(Op::Symbol)) plan_.mentioned.insert(e.id());
    const bool is_product = e.is(Op::Mul) && !e[0].is(Op::Const) && !e[1].is(Op::Const);
    const bool is_long = shape(e).weight >= kWorthNaming;
    // Only integers get names; conditions are written where they are tested.
    if (info(e.op()).result == Result::Int && (is_long || is_product)) {
      const auto& points = scope_.points();
      const std::size_t first = place(e);
      const Scope::Place statement = points[first].at;
      Uses& uses = uses_[{statement, e.id()}];
      ++uses.count;
      const bool leaves_a_loop = points[first].loops < points[at].loops;
      if (!uses.is_named && (leaves_a_loop || (is_long && uses.count > 1))) {
        uses.is_named = true;
        plan_.temporaries[statement].push_back(e);
      }
      if (uses.count > 1) return;
      if (uses.is_named) at = first;
    }
    for (Expr a : e.args()) count(a, at);
  }

  // The first point where all variables of e are defined, if e has been placed there or its
  // divisions are as cheap there as here; else the first guard inside under which they are.
  std::size_t place(Expr e) {
    const auto& points = scope_.points();
    const std::size_t first = scope_.level(e), here = points.size() - 1;
    if (uses_.count({points[first].at, e.id()}) > 0) return first;
    const std::uint32_t cheapest = scope_.slowness(e, here);
    for (std::size_t p = first; p < here; ++p) {
      const bool is_guard = points[p].at == points[p].guard;
      if ((p == first || is_guard) && scope_.slowness(e, p) == cheapest) return p;
    }
    return here;
  }

  struct Shape {
    int weight = 0;  // of its operators, up to what is worth a name
    int height = 0;  // greater than that of every operand
  };
  Shape shape(Expr e) {
    if (const auto it = shapes_.find(e.id()); it != shapes_.end()) return it->second;
    Shape s{operator_weight(e.op()), 0};
    for (Expr a : e.args()) {
      const Shape operand = shape(a);
      s.weight = std::min(s.weight + operand.weight, kWorthNaming);
      s.height = std::max(s.height, operand.height + 1);
    }
    return shapes_[e.id()] = s;
  }

  const Kernel& kernel_;
  const Forms& forms_;
  Scope& scope_;
  Plan plan_;
  struct Uses {
    int count = 0;
    bool is_named = false;
  };
  std::map<std::pair<Scope::Place, std::uint32_t>, Uses> uses_;
  std::unordered_map<std::uint32_t, Shape> shapes_;
};

}  // namespace

Plan plan(const Kernel& kernel, const Forms& forms, Scope& scope) {
  return Planner(kernel, forms, scope).run();
}

namespace {

// Whether one instruction makes the copy: cp.async, or cp.async.bulk for a barrier object or a
// store.
bool is_copied(const Kernel& kernel, const AsyncCopy& c) {
  if (c.is_store && c.box) return true;
  const Buffer &to = kernel.buffers[c.copy.to], &from = kernel.buffers[c.copy.from];
  const std::int64_t size = size_of(to.type), bytes = c.copy.width * size;
  const Buffer &shared = c.is_store ? from : to, &global = c.is_store ? to : from;
  if (shared.memory != Memory::Shared || global.memory != Memory::Global) return false;
  if (c.box) return c.object.has_value();
  if (c.is_by_proxy()) return is_copied_in_bulk(bytes) && c.alignment * size % kBulkAlignment == 0;
  return is_copied_at_once(bytes) && c.alignment * size >= bytes;
}
// Barrier objects are initialized once: a block runs the kernel once.
bool is_event_emitted(const Kernel& kernel, const Statement& s) {
  if (const auto* copy = std::get_if<AsyncCopy>(&s.node)) {
    return is_copied(kernel, *copy) && !(copy->object && kernel.launch.workspace);
  }
  return std::holds_alternative<Arrive>(s.node) || std::holds_alternative<Wait>(s.node) ||
         std::holds_alternative<ProxyFence>(s.node) || std::holds_alternative<Mma>(s.node) ||
         std::holds_alternative<Region>(s.node);
}

}  // namespace

void check_is_emitted(const Kernel& kernel) {
  // A number from memory that a loop or a guard depends on needs nothing of the text.
  for (const Statement* s : own_pace(kernel)) {
    if (!parts_of(*s).has_own_pace || is_event_emitted(kernel, *s)) continue;
    refuse<Illegal>("E706",
                    "the kernel " + kernel.name + " has " + std::string(name_of(*s)) +
                        ", which is not emitted yet",
                    "emulate it, or write it with barriers, guards and loops alone");
  }
}

}  // namespace selvage
