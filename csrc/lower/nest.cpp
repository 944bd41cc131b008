#include <selvage/base/check.h>
#include <selvage/expr/tape.h>
#include <selvage/lower/narrow.h>
#include <selvage/lower/nest.h>

#include <algorithm>
#include <string>
#include <unordered_map>

namespace selvage {

namespace {

constexpr ParallelType kAxes[] = {ParallelType::BIDz, ParallelType::BIDy, ParallelType::BIDx,
                                  ParallelType::TIDz, ParallelType::TIDy, ParallelType::TIDx};

Expr& extent_of(Launch& launch, ParallelType p) {
  return is_block(p) ? launch.grid[std::size_t(axis(p))] : launch.block[std::size_t(axis(p))];
}

// One nest under construction. Level k holds what stands inside the k outermost loops.
class Nest {
 public:
  Nest(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
       Kernel& kernel, std::vector<Expr>& computed)
      : fusion_(fusion),
        schedule_(schedule),
        analysis_(analysis),
        kernel_(kernel),
        computed_(computed),
        levels_(analysis.loops.size() + 1) {}

  void build(BufferId target, ValueId value) {
    add_loops();
    add_guards();
    Store store;
    store.buffer = target;
    store.address = named(analysis_.address);
    store.value = value;
    store.duplicates_allowed = fusion_[analysis_.tensor].duplicates_allowed;
    const auto& must =
        store.duplicates_allowed ? fusion_[analysis_.tensor].logical : analysis_.hole_path.domains;
    for (DomainId d : must) {
      store.valid.push_back(ok((*analysis_.coordinates)[d], schedule_.graph()[d].extent));
    }
    name_values(value);
    Body body;
    body.push_back({std::move(store)});
    for (std::size_t k = levels_.size(); k-- > 0;) body = wrap(levels_[k], std::move(body));
    for (Statement& s : masked(std::move(body))) kernel_.body.push_back(std::move(s));
  }

 private:
  struct Level {
    std::optional<Loop> loop;  // opened around this level; none at the outermost
    std::vector<Expr> masks;   // tested right inside the loop
    std::vector<Define> defines;
    std::vector<Expr> guards;
  };

  void add_loops() {
    for (std::size_t i = 0; i < analysis_.loops.size(); ++i) {
      const DomainId d = analysis_.loops[i];
      const Expr variable = analysis_.variables[i];
      const ParallelType p = schedule_.parallel(analysis_.tensor, d);
      const Expr own = schedule_.graph()[d].extent;
      Loop loop{variable, own, p, {}};
      level_of_[variable.id()] = i + 1;
      if (p != ParallelType::Serial) {
        loop.extent = extent_of(kernel_.launch, p);
        if (!analysis_.ranges->proves(loop.extent <= own)) {
          levels_[i + 1].masks.push_back(variable < own);
        }
      }
      kernel_.facts.loop(variable, loop.extent);
      computed_.push_back(loop.extent);
      levels_[i + 1].loop = std::move(loop);
    }
  }

  // Each guard as far out as its variables allow, simplified under those that are tested before.
  void add_guards() {
    std::vector<Expr> conditions;
    for (const KeptPredicate& kept : analysis_.predicates.kept) {
      add_conjuncts(kept.condition, conditions);
    }
    std::stable_sort(conditions.begin(), conditions.end(),
                     [&](Expr a, Expr b) { return level(a) < level(b); });
    Facts tested = analysis_.ranges->facts();
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      Expr condition = conditions[i];
      if (i > 0) condition = Simplifier(tested).simplify(condition);
      if (condition.is_true()) continue;
      tested.assume(condition);
      condition = named(condition);
      levels_[level(condition)].guards.push_back(condition);
    }
  }

  static void add_conjuncts(Expr e, std::vector<Expr>& out) {
    if (!e.is(Op::And)) return out.push_back(e);
    add_conjuncts(e[0], out);
    add_conjuncts(e[1], out);
  }

  // The innermost loop that an expression depends on.
  std::size_t level(Expr e) {
    std::size_t deepest = 0;
    for (Expr s : reachable(std::span(&e, 1), true)) {
      if (const auto it = level_of_.find(s.id()); it != level_of_.end()) {
        deepest = std::max(deepest, it->second);
      }
    }
    return deepest;
  }

  // The expression with every Let replaced by a variable, defined at the loop it belongs to.
  Expr named(Expr e) {
    for (Expr let : reachable(std::span(&e, 1), true)) {
      if (let.is(Op::Let) && !names_.count(let.id())) define(let);
    }
    return computed(replace(e));
  }

  // An expression of the kernel, in a form that fits the narrowest type.
  Expr computed(Expr e) {
    const std::size_t known = kernel_.facts.symbols().size();
    if (ranges_ == nullptr || ranges_->facts().symbols().size() != known) {
      ranges_ = std::make_unique<Simplifier>(kernel_.facts);
    }
    computed_.push_back(narrowed(e, *ranges_));
    return computed_.back();
  }

  void define(Expr let) {
    const Expr value = computed(replace(let[0]));
    std::string name = "t" + std::to_string(kernel_defines_++);
    const auto taken = [&] { return kernel_.facts.find(kernel_.pool->symbol(name)) != nullptr; };
    while (taken()) name += "_";
    const Expr variable = kernel_.pool->symbol(name);
    const Interval range = analysis_.ranges->interval(let);
    kernel_.facts.bound(variable, range.has_lo() ? kernel_.pool->constant(range.lo) : Expr(),
                        range.has_hi() ? kernel_.pool->constant(range.hi) : Expr());
    const std::size_t k = level(value);
    levels_[k].defines.push_back({variable, value});
    level_of_[variable.id()] = k;
    names_[let.id()] = variable;
  }

  Expr replace(Expr e) {
    if (e.is(Op::Let)) return names_.at(e.id());
    if (e.args().empty()) return e;
    std::vector<Expr> args;
    bool changed = false;
    for (Expr a : e.args()) {
      args.push_back(replace(a));
      changed = changed || !same(args.back(), a);
    }
    return changed ? with_operands(e, args) : e;
  }

  // Index expressions within the value: loads and indices. The graph is append-only, so the nodes
  // are rewritten into a new one, up to the value.
  void name_values(ValueId value) {
    ValueGraph renamed;
    for (std::size_t i = 0; i < kernel_.values.size(); ++i) {
      ValueNode node = kernel_.values[ValueId(i)];
      if (node.kind == ValueNode::Kind::Index) node.index = named(node.index);
      for (Expr& s : node.subscripts) s = named(s);
      renamed.add(std::move(node));
    }
    SELVAGE_CHECK(std::size_t(value) < renamed.size());
    kernel_.values = std::move(renamed);
  }

  static Body guarded(const std::vector<Expr>& conditions, Body body) {
    if (conditions.empty()) return body;
    Expr all = conditions.front();
    for (std::size_t i = 1; i < conditions.size(); ++i) all = all && conditions[i];
    Body result;
    result.push_back({Guard{all, std::move(body)}});
    return result;
  }

  static Body wrap(Level& level, Body body) {
    body = guarded(level.guards, std::move(body));
    for (std::size_t i = level.defines.size(); i-- > 0;) {
      body.insert(body.begin(), {std::move(level.defines[i])});
    }
    body = guarded(level.masks, std::move(body));
    if (!level.loop) return body;
    level.loop->body = std::move(body);
    Body result;
    result.push_back({std::move(*level.loop)});
    return result;
  }

  // One writer: where the launch uses an axis that this tensor leaves unbound, index 0 does the
  // work.
  Body masked(Body body) {
    for (ParallelType p : kAxes) {
      const Expr extent = extent_of(kernel_.launch, p);
      const bool bound =
          std::any_of(analysis_.loops.begin(), analysis_.loops.end(),
                      [&](DomainId d) { return schedule_.parallel(analysis_.tensor, d) == p; });
      if (bound || extent.is_const(1)) continue;
      std::string name = "every_" + std::string(to_string(p));
      const Expr variable = kernel_.pool->symbol(name);
      kernel_.facts.loop(variable, extent);
      Loop loop{variable, extent, p, {}};
      loop.body = guarded({variable < 1}, std::move(body));
      body = {};
      body.push_back({std::move(loop)});
    }
    return body;
  }

 public:
  std::size_t kernel_defines_ = 0;  // names t0, t1, ... already given in this kernel

 private:
  const Fusion& fusion_;
  const Schedule& schedule_;
  const TensorAnalysis& analysis_;
  Kernel& kernel_;
  std::vector<Expr>& computed_;
  std::unique_ptr<Simplifier> ranges_;  // of the kernel's variables
  std::vector<Level> levels_;
  std::unordered_map<std::uint32_t, std::size_t> level_of_;
  std::unordered_map<std::uint32_t, Expr> names_;
};

std::size_t defines_in(const Body& body) {
  std::size_t n = 0;
  for (const Statement& s : body) {
    std::visit(overloaded{[&](const Loop& l) { n += defines_in(l.body); },
                          [&](const Guard& g) { n += defines_in(g.body); },
                          [&](const Define&) { ++n; }, [](const Store&) {}},
               s.node);
  }
  return n;
}

}  // namespace

LaunchDemand launch_demand(const Schedule& schedule, const TensorAnalysis& analysis) {
  LaunchDemand demand;
  for (DomainId d : analysis.loops) {
    const ParallelType p = schedule.parallel(analysis.tensor, d);
    if (is_block(p)) demand.grid[axis(p)] = schedule.graph()[d].extent;
    if (is_thread(p)) demand.block[axis(p)] = schedule.graph()[d].extent;
  }
  return demand;
}

void append_nest(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
                 BufferId target, ValueId value, Kernel& kernel, std::vector<Expr>& computed) {
  Nest nest(fusion, schedule, analysis, kernel, computed);
  nest.kernel_defines_ = defines_in(kernel.body);
  nest.build(target, value);
}

}  // namespace selvage
