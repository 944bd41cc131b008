#include <selvage/codegen/plan.h>
#include <selvage/kernel/value_nodes.h>

#include <algorithm>

namespace selvage {

namespace {

// At least two operators, or one that takes long.
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
  Planner(const Kernel& kernel, Scope& scope) : kernel_(kernel), scope_(scope) {}

  Plan run() {
    visit(kernel_.body);
    for (auto& [at, temporaries] : plan_.temporaries) {
      // Operands first; otherwise in the order in which they were met.
      std::stable_sort(temporaries.begin(), temporaries.end(),
                       [&](Expr a, Expr b) { return shape(a).height < shape(b).height; });
    }
    return std::move(plan_);
  }

 private:
  void visit(const Body& body) {
    std::size_t defined = 0;
    for (const Statement& s : body) {
      if (const auto* loop = std::get_if<Loop>(&s.node)) {
        if (loop->parallel == ParallelType::Serial && !runs_once(*loop)) count(loop->extent);
        scope_.enter(s, loop->variable);
        visit(loop->body);
        scope_.leave();
      } else if (const auto* define = std::get_if<Define>(&s.node)) {
        count(define->value);
        scope_.enter(s, define->variable);
        ++defined;
      } else if (const auto* guard = std::get_if<Guard>(&s.node)) {
        count(guard->condition);
        scope_.enter_guard(s, guard->condition);
        visit(guard->body);
        scope_.leave();
      } else if (const auto* store = std::get_if<Store>(&s.node)) {
        count(store->address);
        for (ValueId v : nodes_of(kernel_.values, store->value)) {
          for (Expr e : index_expressions(kernel_.values[v])) count(e);
        }
      }
    }
    for (; defined > 0; --defined) scope_.leave();
  }

  // One place where e is written.
  void count(Expr e) {
    if (e.is(Op::Symbol)) plan_.mentioned.insert(e.id());
    if (e.is(Op::Let)) return count(e[0]);
    // Truth is written where it is tested.
    if (info(e.op()).result == Result::Int && shape(e).weight >= kWorthNaming) {
      const Statement* at = scope_.points()[place(e)].at;
      const int uses = ++uses_[{at, e.id()}];
      if (uses == 2) plan_.temporaries[at].push_back(e);
      if (uses > 1) return;
    }
    for (Expr a : e.args()) count(a);
  }

  std::size_t place(Expr e) {
    const std::size_t first = scope_.level(e);
    if (scope_.is_plain(e, first)) return first;
    const auto& points = scope_.points();
    for (std::size_t p = first + 1; p < points.size(); ++p) {
      if (points[p].at == points[p].guard && scope_.is_plain(e, p)) return p;
    }
    return first;
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
  Scope& scope_;
  Plan plan_;
  std::map<std::pair<const Statement*, std::uint32_t>, int> uses_;
  std::unordered_map<std::uint32_t, Shape> shapes_;
};

}  // namespace

Plan plan(const Kernel& kernel, Scope& scope) { return Planner(kernel, scope).run(); }

bool runs_once(const Loop& loop) {
  const bool is_serial =
      loop.parallel == ParallelType::Serial || loop.parallel == ParallelType::Unroll;
  return is_serial && loop.extent.is_const(1);
}

}  // namespace selvage
