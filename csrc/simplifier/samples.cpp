#include <selvage/expr/apply.h>
#include <selvage/simplifier/sampler.h>
#include <selvage/simplifier/samples.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr int kRedraws = 4;  // rounds; each draws the points again that were not allowed

}  // namespace

// Gives the symbol a value at each of these points, and returns the points where it has one. Point
// 0 lies at the upper ends of all ranges, point 1 at the lower ends.
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
    range = tightened(range, s.congruence);
    if (range.empty()) continue;
    v.at[k] = k == 0   ? range.hi
              : k == 1 ? range.lo
                       : draw_value(range, s.congruence, kWide, random_);
    if (!range.contains(v.at[k])) continue;
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
      // Values of other expressions are computed anew, since points are drawn again.
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
    // May be of any depth, so without recursion: computes what is not known, bottom-up.
    for (Expr n : unknown_below(e, [&](Expr n) { return values_[n].known; })) {
      compute(n, values_[n]);
    }
    return v;
  }
  for (Expr a : e.args()) values(a);
  compute(e, v);
  return v;
}

// Computes the values of e from those of its operands, which are known.
void Samples::compute(Expr e, Values& out) {
  out.known = true;
  if (e.is(Op::Const) || e.is(Op::Bool)) {
    out.at.fill(e.value());
    out.defined = kAll;
  } else if (e.is(Op::Symbol)) {
    // A symbol without facts: any integer.
    free_.push_back({e, {}, {}, {}, {}});
    choose_symbol(free_.back(), kAll);
  } else if (!e.is(Op::Load) && !e.is(Op::Call)) {
    const auto operand = [&](std::size_t i) -> const Values& {
      return values_[e[std::min(i, e.args().size() - 1)]];
    };
    const Values &a = operand(0), &b = operand(1), &c = operand(2);
    with_operator(e.op(), [&](auto f) {
      for (std::size_t k = 0; k < kPoints; ++k) {
        if (!(a.defined & b.defined & c.defined & (1u << k))) continue;
        const Checked r = f(Checked(a.at[k]), Checked(b.at[k]), Checked(c.at[k]));
        out.at[k] = r.value;
        out.defined |= Mask(std::uint8_t{r.is_defined} << k);
      }
    });
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
