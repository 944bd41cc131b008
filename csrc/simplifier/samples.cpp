#include <selvage/base/integer.h>
#include <selvage/expr/tape.h>
#include <selvage/simplifier/samples.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr int kRedraws = 4;  // of drawing again the points that an assumption forbids

}  // namespace

// The first two points lie at the ends of all ranges, the others at an end or anywhere.
std::int64_t Samples::draw(const Interval& range, std::size_t point) {
  const std::uint64_t pick = random_.next();
  if (point == 0 || pick % 4 == 0) return range.hi;
  if (point == 1 || pick % 4 == 1) return range.lo;
  const std::uint64_t width = std::uint64_t(range.hi) - std::uint64_t(range.lo) + 1;
  return std::int64_t(std::uint64_t(range.lo) +
                      (width == 0 ? random_.next() : (pick >> 2) % width));
}

// Gives the symbol a value at each of these points; returns those where there is one.
Samples::Mask Samples::choose_symbol(const Facts::Symbol& s, Mask points) {
  constexpr std::int64_t kWide = 1 << 10;
  const Values* lo = s.lo.valid() && !s.lo.is(Op::Const) ? &values(s.lo) : nullptr;
  const Values* hi = s.hi.valid() && !s.hi.is(Op::Const) ? &values(s.hi) : nullptr;
  Values& v = values_[s.symbol];
  v.known = true;
  Mask found = 0;
  for (std::size_t k = 0; k < kPoints; ++k) {
    const Mask bit = Mask(1u << k);
    if (!(points & bit)) continue;
    v.defined &= Mask(~bit);
    if ((lo != nullptr && !(lo->defined & bit)) || (hi != nullptr && !(hi->defined & bit))) {
      continue;
    }
    Interval range = s.range;
    if (lo != nullptr) range.lo = std::max(range.lo, lo->at[k]);
    if (hi != nullptr) range.hi = std::min(range.hi, hi->at[k]);
    if (!range.has_lo()) range.lo = std::min<std::int64_t>(-kWide, range.has_hi() ? range.hi : 0);
    if (!range.has_hi()) range.hi = saturating_add(std::max<std::int64_t>(range.lo, 0), kWide);
    if (range.empty()) continue;
    std::int64_t value = draw(range, k);
    if (const Congruence c = s.congruence; c.modulus > 1) {
      const auto down = checked_sub(*euclid_mod(value, c.modulus), c.residue);
      const auto moved = down ? checked_sub(value, *down) : std::nullopt;
      if (!moved) continue;
      value = *moved;
      if (value < range.lo) value = saturating_add(value, c.modulus);
      if (value > range.hi) value = saturating_add(value, -c.modulus);
      if (!range.contains(value)) continue;
    }
    v.at[k] = value;
    v.defined |= bit;
    found |= bit;
  }
  return found;
}

Samples::Samples(const Facts& facts) {
  Mask missing = Mask((1u << kPoints) - 1);
  for (int round = 0; round < kRedraws && missing != 0; ++round) {
    Mask fresh = missing;
    if (round > 0) {
      // What depends on the points drawn again is computed again.
      Memo<Values> symbols;
      for (const Facts::Symbol& s : facts.symbols()) symbols[s.symbol] = values_[s.symbol];
      for (const Facts::Symbol& s : free_) symbols[s.symbol] = values_[s.symbol];
      values_ = std::move(symbols);
      for (const Facts::Symbol& s : free_) choose_symbol(s, missing);
    }
    for (const Facts::Symbol& s : facts.symbols()) fresh &= choose_symbol(s, missing);
    for (Expr e : facts.assumptions()) {
      const Values& v = values(e);
      for (std::size_t k = 0; k < kPoints; ++k) {
        if (!(v.defined >> k & 1) || v.at[k] == 0) fresh &= Mask(~(1u << k));
      }
    }
    allowed_ |= fresh;
    missing &= Mask(~fresh);
  }
}

const Samples::Values& Samples::values(Expr e) {
  Values& v = values_[e];
  if (v.known) return v;
  constexpr std::uint32_t kDeep = 1000;
  if (e.is(Op::Let) || e.depth() > kDeep) {
    // Without end, so with no recursion: what is not known yet, from the bottom up.
    for (Expr n : unknown_below(e, [&](Expr n) { return values_[n].known; })) {
      compute(n, values_[n]);
    }
    return v;
  }
  for (Expr a : e.args()) values(a);
  compute(e, v);
  return v;
}

// From the values of the operands, which are known.
void Samples::compute(Expr e, Values& out) {
  out.known = true;
  const auto operand = [&](std::size_t i) -> const Values& { return values_[e[i]]; };
  const auto each = [&](auto value) {
    const Values& a = operand(0);
    const Values& b = operand(e.args().size() - 1);
    for (std::size_t k = 0; k < kPoints; ++k) {
      if (!(a.defined & b.defined & (1u << k))) continue;
      const std::optional<std::int64_t> r = value(a.at[k], b.at[k]);
      if (!r) continue;
      out.at[k] = *r;
      out.defined |= Mask(1u << k);
    }
  };
  using I = std::int64_t;
  switch (e.op()) {
    case Op::Const:
    case Op::Bool:
      out.at.fill(e.value());
      out.defined = Mask((1u << kPoints) - 1);
      return;
    case Op::Symbol:
      // The facts say nothing of it: any integer.
      free_.push_back({e, {}, {}, {}, {}});
      choose_symbol(free_.back(), Mask((1u << kPoints) - 1));
      return;
    case Op::Let: return each([](I a, I) { return std::optional(a); });
    case Op::Add: return each(checked_add);
    case Op::Sub: return each(checked_sub);
    case Op::Mul: return each(checked_mul);
    case Op::Div: return each(euclid_div);
    case Op::Mod: return each(euclid_mod);
    case Op::Min: return each([](I a, I b) { return std::optional(std::min(a, b)); });
    case Op::Max: return each([](I a, I b) { return std::optional(std::max(a, b)); });
    case Op::Xor: return each([](I a, I b) { return std::optional(a ^ b); });
    case Op::Lt: return each([](I a, I b) { return std::optional<I>(a < b); });
    case Op::Le: return each([](I a, I b) { return std::optional<I>(a <= b); });
    case Op::Eq: return each([](I a, I b) { return std::optional<I>(a == b); });
    case Op::Not: return each([](I a, I) { return std::optional<I>(a == 0); });
    case Op::And: return each([](I a, I b) { return std::optional<I>(a != 0 && b != 0); });
    case Op::Or: return each([](I a, I b) { return std::optional<I>(a != 0 || b != 0); });
    case Op::Select:
      for (std::size_t k = 0; k < kPoints; ++k) {
        if (!(operand(0).defined & operand(1).defined & operand(2).defined & (1u << k))) continue;
        out.at[k] = operand(operand(0).at[k] != 0 ? 1 : 2).at[k];
        out.defined |= Mask(1u << k);
      }
      return;
    case Op::Load:
    case Op::Call: return;
  }
}

void Samples::evaluate(const LinearSum& sum, Mask& points, std::array<std::int64_t, kPoints>& out) {
  out.fill(sum.constant);
  for (const auto& t : sum.terms) {
    const Values& v = values(t.monomial);
    points &= v.defined;
    if (points == 0) return;
    for (std::size_t k = 0; k < kPoints; ++k) {
      std::int64_t product = 0;
      if (!(points >> k & 1)) continue;
      if (__builtin_mul_overflow(v.at[k], t.coefficient, &product) ||
          __builtin_add_overflow(out[k], product, &out[k])) {
        points &= Mask(~(1u << k));
      }
    }
  }
}

bool Samples::refutes_nonnegative(const LinearSum& sum, Mask points) {
  points &= allowed_;
  std::array<std::int64_t, kPoints> total;
  evaluate(sum, points, total);
  for (std::size_t k = 0; k < kPoints; ++k) {
    if ((points >> k & 1) && total[k] < 0) return true;
  }
  return false;
}

Samples::Mask Samples::nonnegative(const LinearSum& sum) {
  Mask points = allowed_;
  std::array<std::int64_t, kPoints> total;
  evaluate(sum, points, total);
  for (std::size_t k = 0; k < kPoints; ++k) {
    if ((points >> k & 1) && total[k] < 0) points &= Mask(~(1u << k));
  }
  return points;
}

}  // namespace selvage
