#include <selvage/base/integer.h>
#include <selvage/simplifier/facts.h>

namespace selvage {

Facts::Symbol& Facts::declare(Expr symbol) {
  const auto [it, fresh] = positions_.try_emplace(symbol.id(), symbols_.size());
  if (fresh) symbols_.push_back({symbol, {}, {}, {}, {}});
  return symbols_[it->second];
}

const Facts::Symbol* Facts::find(Expr symbol) const {
  const auto it = positions_.find(symbol.id());
  return it == positions_.end() ? nullptr : &symbols_[it->second];
}

std::size_t Facts::position(Expr symbol) const {
  const auto it = positions_.find(symbol.id());
  return it == positions_.end() ? symbols_.size() : it->second;
}

void Facts::bound(Expr symbol, Expr lo, Expr hi) {
  Symbol& s = declare(symbol);
  if (lo.valid()) {
    if (lo.is(Op::Const)) s.range.lo = std::max(s.range.lo, lo.value());
    if (!s.lo.valid()) {
      s.lo = lo;
    } else if (lo.is(Op::Const) && s.lo.is(Op::Const)) {
      s.lo = pool_->constant(s.range.lo);
    } else {
      assumptions_.push_back(lo <= symbol);
    }
  }
  if (hi.valid()) {
    if (hi.is(Op::Const)) s.range.hi = std::min(s.range.hi, hi.value());
    if (!s.hi.valid()) {
      s.hi = hi;
    } else if (hi.is(Op::Const) && s.hi.is(Op::Const)) {
      s.hi = pool_->constant(s.range.hi);
    } else {
      assumptions_.push_back(symbol <= hi);
    }
  }
}

void Facts::loop(Expr symbol, Expr extent) {
  const Expr last = extent.is(Op::Const) ? pool_->constant(extent.value() - 1) : extent - 1;
  bound(symbol, pool_->constant(0), last);
}

void Facts::congruent(Expr symbol, std::int64_t modulus, std::int64_t residue) {
  Symbol& s = declare(symbol);
  Congruence both;
  if (intersect(s.congruence, {modulus, *euclid_mod(residue, modulus)}, &both)) s.congruence = both;
}

bool Facts::absorb_order(Expr lesser, Expr greater, bool strict) {
  if (lesser.is(Op::Symbol) && greater.is(Op::Const)) {
    const auto hi = checked_sub(greater.value(), strict ? 1 : 0);
    if (hi) bound(lesser, {}, pool_->constant(*hi));
    return hi.has_value();
  }
  if (lesser.is(Op::Const) && greater.is(Op::Symbol)) {
    const auto lo = checked_add(lesser.value(), strict ? 1 : 0);
    if (lo) bound(greater, pool_->constant(*lo), {});
    return lo.has_value();
  }
  return false;
}

void Facts::assume(Expr condition) {
  if (condition.is(Op::And)) {
    assume(condition[0]);
    assume(condition[1]);
    return;
  }
  if (condition.is(Op::Lt) && absorb_order(condition[0], condition[1], true)) return;
  if (condition.is(Op::Le) && absorb_order(condition[0], condition[1], false)) return;
  if (condition.is(Op::Eq)) {
    const Expr a = condition[0], b = condition[1];
    if (a.is(Op::Symbol) && b.is(Op::Const)) return bound(a, b, b);
    if (a.is(Op::Mod) && a[0].is(Op::Symbol) && a[1].is(Op::Const) && a[1].value() >= 1 &&
        b.is(Op::Const)) {
      return congruent(a[0], a[1].value(), b.value());
    }
  }
  assumptions_.push_back(condition);
}

Facts Facts::of_symbols() const {
  Facts own(*pool_);
  own.symbols_ = symbols_;
  own.positions_ = positions_;
  return own;
}

std::vector<Expr> relations(const Facts& facts) {
  std::vector<Expr> list = facts.assumptions();
  for (const Facts::Symbol& s : facts.symbols()) {
    if (s.lo.valid() && !s.lo.is(Op::Const)) list.push_back(s.lo <= s.symbol);
    if (s.hi.valid() && !s.hi.is(Op::Const)) list.push_back(s.symbol <= s.hi);
  }
  return list;
}

}  // namespace selvage
