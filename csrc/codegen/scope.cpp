#include <selvage/codegen/scope.h>
#include <selvage/simplifier/linear.h>

#include <algorithm>

namespace selvage {

void Scope::enter(const Statement& statement, Expr variable) {
  const auto* loop = std::get_if<Loop>(&statement.node);
  const int loops = points_.back().loops + (loop != nullptr && iterates(*loop) ? 1 : 0);
  points_.push_back({&statement, variable, points_.back().guard, loops});
  at_level_.emplace_back();
  if (!forms_->computed().is_axis(variable)) defined_[variable.id()] = points_.size() - 1;
}

void Scope::enter_body(const Statement& statement) {
  points_.push_back({&statement, {}, points_.back().guard, points_.back().loops});
  at_level_.emplace_back();
}

void Scope::enter_guard(const Statement& statement, Expr condition) {
  enter_where(&statement, condition);
}

void Scope::enter_otherwise(const Guard& guard) { enter_where(&guard.otherwise, !guard.condition); }

void Scope::enter_where(Place place, Expr condition) {
  guards_.insert({place, {points_.back().guard, condition}});
  points_.push_back({place, {}, place, points_.back().loops});
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

Simplifier& Scope::simplifier(Place guard) {
  Known& k = known_[guard];
  if (k.simplifier == nullptr) {
    Facts facts = kernel_->facts;
    for (Place g = guard; g != nullptr; g = guards_.at(g).guard) {
      facts.assume(guards_.at(g).condition);
    }
    k.simplifier = std::make_unique<Simplifier>(std::move(facts));
  }
  return *k.simplifier;
}

Scope::Division Scope::division_under(Place guard, Expr form) {
  auto& known = known_[guard].divisions;
  if (const auto it = known.find(form.id()); it != known.end()) return it->second;
  return known[form.id()] = prove_division(guard, form);
}

// A proof made outside of a guard holds inside it, too, so that is tried first: most divisions
// need no guard.
Scope::Division Scope::prove_division(Place guard, Expr form) {
  const Division outside =
      guard == nullptr ? Division::Euclid : division_under(guards_.at(guard).guard, form);
  if (outside < Division::Near) return outside;
  const Expr dividend = forms_->meaning(form[0]), divisor = forms_->meaning(form[1]);
  const bool is_remainder = form.is(Op::Mod) && may_be_near(dividend);
  if (outside == Division::Machine && !is_remainder) return outside;
  const bool positive =
      outside != Division::Euclid ||
      (divisor.is(Op::Const) ? divisor.value() > 0 : simplifier(guard).proves(0 < divisor));
  if (!positive) return Division::Euclid;
  Simplifier& s = simplifier(guard);
  const bool is_above = outside == Division::Machine || s.interval(dividend).lo >= 0 ||
                        s.proves_nonnegative(dividend);
  if (is_remainder && s.proves(dividend < 2 * divisor)) {
    if (is_above) return Division::Above;
    if (s.proves(0 <= dividend + divisor)) {
      return s.proves(dividend < divisor) ? Division::Below : Division::Near;
    }
  }
  return is_above ? Division::Machine : std::min(outside, Division::Floor);
}

// Proofs take time, and most dividends run from 0 to many times the divisor: sums of loops alone.
bool Scope::may_be_near(Expr dividend) const {
  const LinearSum sum = to_linear_or_atom(dividend);
  const auto is_size = [&](Expr atom) {
    return std::ranges::any_of(kernel_->sizes, [&](Expr n) { return same(n, atom); });
  };
  const auto is_moved = [&](const auto& t) {
    return t.coefficient < 0 || std::ranges::all_of(atoms_of(t.monomial), is_size);
  };
  return sum.constant != 0 || std::ranges::any_of(sum.terms, is_moved);
}

Scope::Division Scope::division(Expr form, std::size_t point) {
  return division_under(points_[point].guard, form);
}

std::uint32_t Scope::slowness(Expr form, std::size_t point) {
  return slowness_under(points_[point].guard, form);
}

std::uint32_t Scope::slowness_under(Place guard, Expr form) {
  if (form.args().empty()) return 0;
  auto& known = known_[guard].slowness;
  if (const auto it = known.find(form.id()); it != known.end()) return it->second;
  const bool divides = form.is(Op::Div) || form.is(Op::Mod);
  const auto extra = [](Division d) {
    return d <= Division::Machine ? 0u : std::uint64_t(d) - std::uint64_t(Division::Machine);
  };
  std::uint64_t sum = divides ? extra(division_under(guard, form)) : 0;
  for (Expr a : form.args()) sum += slowness_under(guard, a);
  return known[form.id()] = std::uint32_t(std::min<std::uint64_t>(sum, UINT32_MAX));
}

}  // namespace selvage
