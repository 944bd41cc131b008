#include <selvage/codegen/scope.h>

#include <algorithm>

namespace selvage {

Scope::Scope(const Kernel& kernel) : kernel_(&kernel), points_(1), at_level_(1) {}

void Scope::enter(const Statement& statement, Expr variable) {
  points_.push_back({&statement, variable, points_.back().guard});
  at_level_.emplace_back();
  defined_[variable.id()] = points_.size() - 1;
}

void Scope::enter_guard(const Statement& statement, Expr condition) {
  guards_.insert({&statement, {points_.back().guard, condition}});
  points_.push_back({&statement, {}, &statement});
  at_level_.emplace_back();
}

void Scope::leave() {
  if (points_.back().variable.valid()) defined_.erase(points_.back().variable.id());
  for (std::uint32_t id : at_level_.back()) levels_.erase(id);
  points_.pop_back();
  at_level_.pop_back();
}

std::size_t Scope::level(Expr e) {
  if (e.is(Op::Symbol)) {
    const auto it = defined_.find(e.id());
    return it == defined_.end() ? 0 : it->second;
  }
  if (e.args().empty()) return 0;
  if (const auto it = levels_.find(e.id()); it != levels_.end()) return it->second;
  std::size_t deepest = 0;
  for (Expr a : e.args()) deepest = std::max(deepest, level(a));
  levels_[e.id()] = deepest;
  at_level_[deepest].push_back(e.id());
  return deepest;
}

Scope::Known& Scope::known(const Statement* guard) {
  Known& k = known_[guard];
  if (k.simplifier == nullptr) {
    Facts facts = kernel_->facts;
    for (const Statement* g = guard; g != nullptr; g = guards_.at(g).guard) {
      facts.assume(guards_.at(g).condition);
    }
    k.simplifier = std::make_unique<Simplifier>(std::move(facts));
  }
  return k;
}

Scope::Division Scope::division(Expr e, Known& known) {
  const auto [it, fresh] = known.divisions.try_emplace(e.id(), Division::Euclid);
  if (!fresh) return it->second;
  const Expr dividend = e[0], divisor = e[1];
  const bool positive =
      divisor.is(Op::Const) ? divisor.value() > 0 : known.simplifier->proves(0 < divisor);
  if (!positive) return Division::Euclid;
  const bool machine = known.simplifier->interval(dividend).lo >= 0 ||
                       known.simplifier->proves_nonnegative(dividend);
  return known.divisions[e.id()] = machine ? Division::Machine : Division::Floor;
}

Scope::Division Scope::division(Expr e, std::size_t point) {
  return division(e, known(points_[point].guard));
}

bool Scope::is_plain(Expr e, std::size_t point) { return is_plain(e, known(points_[point].guard)); }

bool Scope::is_plain(Expr e, Known& known) {
  if (e.args().empty()) return true;
  if (const auto it = known.plain.find(e.id()); it != known.plain.end()) return it->second;
  const bool divides = e.is(Op::Div) || e.is(Op::Mod);
  bool plain = !divides || division(e, known) == Division::Machine;
  for (Expr a : e.args()) plain = plain && is_plain(a, known);
  return known.plain[e.id()] = plain;
}

}  // namespace selvage
