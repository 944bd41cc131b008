#include <selvage/base/integer.h>
#include <selvage/expr/symbols.h>
#include <selvage/simplifier/facts.h>
#include <selvage/simplifier/linear.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

namespace selvage {

namespace {

// x with a*x = 1 (mod m), where a and m have no divisor in common.
std::int64_t inverse(std::int64_t a, std::int64_t m) {
  std::int64_t x = 1, other_x = 0, r = a, other_r = m;
  while (other_r != 0) {
    const std::int64_t q = r / other_r;
    std::tie(r, other_r) = std::pair(other_r, r - q * other_r);
    std::tie(x, other_x) = std::pair(other_x, x - q * other_x);
  }
  return *euclid_mod(x, m);
}

struct SymbolCongruence {
  Expr symbol;
  Congruence congruence;
};

// Solves sum = residue (mod modulus) for the only symbol of the sum: 2*N + 1 = 3 (mod 4) is N = 1
// (mod 2). Nothing if the sum has other terms or the equation has no solution.
std::optional<SymbolCongruence> solved(Expr sum, std::int64_t modulus, std::int64_t residue) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;  // products fit
  if (modulus < 1 || modulus > kMost || residue < 0 || residue >= modulus) return std::nullopt;
  const LinearSum linear = to_linear_or_atom(sum);
  if (linear.terms.size() != 1 || !linear.terms[0].monomial.is(Op::Symbol)) return std::nullopt;
  const std::int64_t factor = *euclid_mod(linear.terms[0].coefficient, modulus);
  const std::int64_t common = std::gcd(factor, modulus);
  const std::int64_t rest = *euclid_mod(residue - *euclid_mod(linear.constant, modulus), modulus);
  if (factor == 0 || rest % common != 0) return std::nullopt;
  const std::int64_t m = modulus / common;
  return SymbolCongruence{linear.terms[0].monomial,
                          {m, rest / common * inverse(factor / common, m) % m}};
}

}  // namespace

Facts::~Facts() = default;
Facts::Facts(const Facts&) = default;
Facts::Facts(Facts&&) noexcept = default;
Facts& Facts::operator=(const Facts&) = default;
Facts& Facts::operator=(Facts&&) noexcept = default;

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
    if (a.is(Op::Mod) && a[1].is(Op::Const) && b.is(Op::Const)) {
      const auto one = solved(a[0], a[1].value(), b.value());
      if (one) return congruent(one->symbol, one->congruence.modulus, one->congruence.residue);
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

Facts Facts::without(std::span<const Expr> symbols) const {
  const auto is_used = [&](Expr e) {
    const std::vector<Expr> used = symbols_of(std::span(&e, 1));
    return std::any_of(used.begin(), used.end(), [&](Expr s) { return contains(symbols, s); });
  };
  Facts rest(*pool_);
  for (const Symbol& s : symbols_) {
    if (contains(symbols, s.symbol)) continue;
    Symbol& own = rest.declare(s.symbol) = s;
    if (s.lo.valid() && is_used(s.lo))
      own.lo = s.range.has_lo() ? pool_->constant(s.range.lo) : Expr();
    if (s.hi.valid() && is_used(s.hi))
      own.hi = s.range.has_hi() ? pool_->constant(s.range.hi) : Expr();
  }
  for (Expr condition : assumptions_) {
    if (!is_used(condition)) rest.assumptions_.push_back(condition);
  }
  return rest;
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
