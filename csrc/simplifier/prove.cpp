#include <selvage/base/integer.h>
#include <selvage/base/random.h>
#include <selvage/expr/tape.h>
#include <selvage/simplifier/narrowing.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr int kProbes = 200;

struct Random : SplitMix64 {
  Random() : SplitMix64(0x5E1A6E) {}
  // Ends of a range are tried often: that is where claims fail.
  std::int64_t within(std::int64_t lo, std::int64_t hi) {
    const std::uint64_t pick = next() % 4;
    if (pick == 0) return lo;
    if (pick == 1) return hi;
    const auto width = std::uint64_t(hi) - std::uint64_t(lo) + 1;
    return std::int64_t(std::uint64_t(lo) + (width == 0 ? next() : next() % width));
  }
};

// Values of symbols that their facts are likely to allow; whether they do is checked afterwards.
class Drawing {
 public:
  // The symbols of `facts` come last, each behind those that its bounds depend on.
  Drawing(const Facts& facts, std::span<const Expr> symbols) {
    for (Expr e : symbols) {
      const Facts::Symbol* s = facts.find(e);
      Bounds& of = bounds_.emplace_back(s);
      if (s == nullptr) continue;
      std::vector<Expr> roots;
      const auto root_of = [&](Expr bound) {
        if (!bound.valid() || bound.is(Op::Const)) return -1;
        roots.push_back(bound);
        return int(roots.size()) - 1;
      };
      of.lo = root_of(s->lo);
      of.hi = root_of(s->hi);
      if (!roots.empty()) of.tape = Tape(roots, symbols);
    }
  }

  void draw(std::vector<std::int64_t>& values) {
    for (std::size_t i = 0; i < bounds_.size(); ++i) values[i] = value(bounds_[i], values);
  }

 private:
  struct Bounds {
    explicit Bounds(const Facts::Symbol* of) : symbol(of) {}
    const Facts::Symbol* symbol;
    int lo = -1, hi = -1;      // roots of the tape
    std::optional<Tape> tape;  // of bounds that are no numbers
  };

  std::int64_t value(Bounds& of, const std::vector<std::int64_t>& values) {
    constexpr std::int64_t kWide = 64;
    if (of.symbol == nullptr) return random_.within(-kWide, kWide);
    Interval range = of.symbol->range;
    if (of.tape && of.tape->evaluate(values)) {
      if (of.lo >= 0) range.lo = std::max(range.lo, of.tape->root(std::size_t(of.lo)));
      if (of.hi >= 0) range.hi = std::min(range.hi, of.tape->root(std::size_t(of.hi)));
    }
    if (!range.has_lo()) range.lo = std::min(-kWide, range.hi);
    if (!range.has_hi()) range.hi = std::max(range.lo, kWide);
    if (range.empty()) return range.lo;
    const std::int64_t value = random_.within(range.lo, range.hi);
    const Congruence c = of.symbol->congruence;
    if (c.modulus <= 1) return value;
    // Down to a member of the congruence, or up where that is too far down.
    const std::int64_t down = *euclid_mod(*euclid_mod(value, c.modulus) - c.residue, c.modulus);
    const std::int64_t member = checked_sub(value, down).value_or(value);
    return member >= range.lo ? member : checked_add(member, c.modulus).value_or(member);
  }

  std::vector<Bounds> bounds_;  // of each symbol
  Random random_;
};

}  // namespace

// Every comparison of a conjunction, by the search of narrowing.h: exact where extents are numbers
// and the budget of boxes lasts.
bool Simplifier::proves_by_narrowing(Expr condition) {
  constexpr int kBoxes = 2000;
  if (condition.is(Op::And)) {
    return proves_by_narrowing(condition[0]) && proves_by_narrowing(condition[1]);
  }
  const auto difference = difference_of(condition);
  const auto denied = difference ? negation(*difference) : std::nullopt;
  if (!denied || is_refuted(*difference)) return false;
  Narrowing narrowing([this](Expr e) { return interval(e); });
  narrowing.add(*denied);
  for (const LinearSum& known : known_nonnegative_) narrowing.add(known);
  for (const Facts::Symbol& s : facts_.symbols()) {
    // Ranges that depend on outer loops.
    if (s.lo.valid() && !s.lo.is(Op::Const)) narrowing.add(sum_of(normalize(s.symbol - s.lo)));
    if (s.hi.valid() && !s.hi.is(Op::Const)) narrowing.add(sum_of(normalize(s.hi - s.symbol)));
  }
  return narrowing.is_empty(kBoxes, work_end_);
}

Verdict Simplifier::prove(Expr condition) {
  if (condition.depth() > kDeepest) return Unknown{condition};
  const Question question(*this, condition);
  const std::vector<std::uint64_t> before = hits_;
  normalize_parts(condition);
  const Expr residue = normalize(condition);
  const bool narrowed = !residue.is_true() && proves_by_narrowing(residue);
  if (residue.is_true() || narrowed) {
    Proved proved;
    if (narrowed) proved.rules.emplace_back("narrowing");
    for (std::size_t i = 0; i < hits_.size(); ++i) {
      if (hits_[i] > before[i]) proved.rules.emplace_back(all_rules()[i].name);
    }
    return proved;
  }

  // Symbols without facts first: bounds of the others may depend on them.
  std::vector<Expr> roots = {condition};
  for (Expr e : facts_.assumptions()) roots.push_back(e);
  for (const Facts::Symbol& s : facts_.symbols()) {
    if (s.lo.valid()) roots.push_back(s.lo <= s.symbol);
    if (s.hi.valid()) roots.push_back(s.symbol <= s.hi);
  }
  std::vector<Expr> symbols;
  for (Expr e : symbols_of(roots)) {
    if (facts_.find(e) == nullptr) symbols.push_back(e);
  }
  for (const Facts::Symbol& s : facts_.symbols()) symbols.push_back(s.symbol);
  Tape tape(roots, symbols);
  Drawing drawing(facts_, symbols);
  std::vector<std::int64_t> values(symbols.size());
  for (int probe = 0; probe < kProbes; ++probe) {
    drawing.draw(values);
    if (!tape.evaluate(values) || tape.root(0) != 0) continue;
    bool allowed = true;
    for (std::size_t i = 1; i < roots.size(); ++i) allowed = allowed && tape.root(i) != 0;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      const Facts::Symbol* s = facts_.find(symbols[i]);
      allowed = allowed && (s == nullptr || s->congruence.contains(values[i]));
    }
    if (!allowed) continue;
    Refuted refuted;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      refuted.point.emplace_back(symbols[i], values[i]);
    }
    return refuted;
  }
  // No rule says that it holds, and no point that it fails.
  wanted_.push_back(write(residue));
  return Unknown{wanted_.back()};
}

}  // namespace selvage
