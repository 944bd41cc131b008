#include <selvage/expr/tape.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr int kProbes = 200;

// A small generator of our own: the same points on every machine.
struct Random {
  std::uint64_t state = 0x5E1A6E;
  std::uint64_t next() {
    state += 0x9E3779B97F4A7C15ull;
    std::uint64_t z = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  // Ends of a range are tried often: that is where claims fail.
  std::int64_t within(std::int64_t lo, std::int64_t hi) {
    const std::uint64_t pick = next() % 4;
    if (pick == 0) return lo;
    if (pick == 1) return hi;
    const auto width = std::uint64_t(hi) - std::uint64_t(lo) + 1;
    return std::int64_t(std::uint64_t(lo) + (width == 0 ? next() : next() % width));
  }
};

}  // namespace

Verdict Simplifier::prove(Expr condition) {
  const std::vector<std::uint64_t> before = hits_;
  const Expr residue = simplify(condition);
  if (residue.is_true()) {
    Proved proved;
    for (std::size_t i = 0; i < hits_.size(); ++i) {
      if (hits_[i] > before[i]) proved.rules.emplace_back(all_rules()[i].name);
    }
    return proved;
  }

  std::vector<Expr> symbols;
  for (const Facts::Symbol& s : facts_.symbols()) symbols.push_back(s.symbol);
  for (Expr e : symbols_of(std::span(&condition, 1))) {
    if (facts_.find(e) == nullptr) symbols.push_back(e);
  }
  std::vector<Expr> roots = {condition};
  for (Expr e : facts_.assumptions()) roots.push_back(e);
  Tape tape(roots, symbols);
  Random random;
  std::vector<std::int64_t> values(symbols.size());
  for (int probe = 0; probe < kProbes; ++probe) {
    bool possible = true;
    for (std::size_t i = 0; i < symbols.size() && possible; ++i) {
      Interval range{-64, 64};
      if (const Facts::Symbol* s = facts_.find(symbols[i])) {
        const auto end = [&](Expr e, std::int64_t otherwise) {
          if (!e.valid()) return otherwise;
          return evaluate(e, std::span(symbols).first(i), std::span(values).first(i))
              .value_or(otherwise);
        };
        range.lo = s->range.has_lo() ? s->range.lo : std::min<std::int64_t>(-64, s->range.hi);
        range.lo = std::max(range.lo, end(s->lo, range.lo));
        range.hi = s->range.has_hi() ? s->range.hi : std::max<std::int64_t>(range.lo, 64);
        range.hi = std::min(range.hi, end(s->hi, range.hi));
        if (range.empty()) possible = false;
      }
      if (!possible) break;
      values[i] = random.within(range.lo, range.hi);
      if (const Facts::Symbol* s = facts_.find(symbols[i]); s && s->congruence.modulus > 1) {
        const Congruence c = s->congruence;
        values[i] -= (values[i] % c.modulus + c.modulus - c.residue) % c.modulus;
        if (!range.contains(values[i])) values[i] += c.modulus;
        possible = range.contains(values[i]);
      }
    }
    if (!possible || !tape.evaluate(values)) continue;
    bool allowed = true;
    for (std::size_t i = 1; i < roots.size(); ++i) allowed = allowed && tape.root(i) != 0;
    if (!allowed || tape.root(0) != 0) continue;
    Refuted refuted;
    for (std::size_t i = 0; i < symbols.size(); ++i)
      refuted.point.emplace_back(symbols[i], values[i]);
    return refuted;
  }
  return Unknown{residue};
}

}  // namespace selvage
