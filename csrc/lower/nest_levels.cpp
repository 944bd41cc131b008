#include <selvage/expr/symbols.h>
#include <selvage/lower/body.h>
#include <selvage/lower/nest_levels.h>

#include <algorithm>
#include <span>
#include <string>

namespace selvage {

void NestLevels::open(std::size_t k, Loop loop) {
  level_of_[loop.variable.id()] = k;
  levels_[k].loop = std::move(loop);
}

void NestLevels::define(std::size_t k, Define define) {
  level_of_[define.variable.id()] = k;
  levels_[k].defines.push_back(std::move(define));
}

std::size_t NestLevels::of(Expr e) const {
  std::size_t deepest = open_;
  for (Expr s : reachable(std::span(&e, 1), true)) {
    const auto it = level_of_.find(s.id());
    if (it != level_of_.end()) deepest = std::max(deepest, it->second);
  }
  return deepest;
}

Expr NestLevels::named(Expr e) {
  for (Expr let : reachable(std::span(&e, 1), true)) {
    if (let.is(Op::Let) && !names_.contains(let.id())) name(let);
  }
  return draft_.form(replaced(e));
}

void NestLevels::name(Expr let) {
  Kernel& kernel = draft_.kernel;
  const Expr value = draft_.form(replaced(let[0]));
  // No loop that a file names can be called so: its names have no dot.
  const Expr variable = kernel.pool->symbol("t." + std::to_string(draft_.named++));
  const Interval range = analysis_.ranges->interval(let);
  kernel.facts.bound(variable, range.has_lo() ? kernel.pool->constant(range.lo) : Expr(),
                     range.has_hi() ? kernel.pool->constant(range.hi) : Expr());
  define(of(value), {variable, value});
  names_[let.id()] = variable;
}

Expr NestLevels::replaced(Expr e) const {
  if (e.is(Op::Let)) return names_.at(e.id());
  if (e.args().empty()) return e;
  std::vector<Expr> args;
  bool changed = false;
  for (Expr a : e.args()) {
    args.push_back(replaced(a));
    changed = changed || !same(args.back(), a);
  }
  return changed ? with_operands(e, args) : e;
}

Expr NestLevels::conjunction_from(std::size_t level) const {
  Expr all;
  for (std::size_t k = level; k < levels_.size(); ++k) {
    for (Expr guard : levels_[k].guards) all = all.valid() ? all && guard : guard;
  }
  return all;
}

Body NestLevels::wrapped(std::size_t k, bool is_guarded, Body body) const {
  const NestLevel& level = levels_[k];
  if (is_guarded) body = guarded(level.guards, std::move(body));
  for (std::size_t i = level.defines.size(); i-- > 0;) {
    body.insert(body.begin(), {level.defines[i]});
  }
  return guarded(level.masks, std::move(body));
}

}  // namespace selvage
