#include <selvage/base/integer.h>
#include <selvage/base/random.h>
#include <selvage/expr/tape.h>
#include <selvage/legality/decide.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr int kProbes = 4'000;
constexpr std::int64_t kMostWork = std::int64_t{1}
                                   << 26;  // nodes evaluated, at all points together
constexpr std::int64_t kWide = 48;         // of a range without an end, as far as it is probed

// The symbols of a claim with all facts that they hang together with, in the order of declaration:
// what bounds a symbol comes before it.
class Survey {
 public:
  Survey(const Facts& facts, Expr claim) : facts_(facts), roots_{claim}, tape_({}, {}) {
    gather();
    tape_ = Tape(roots_, symbols_);
    most_points_ = kMostWork / std::int64_t(reachable(roots_, true).size());
    values_.resize(symbols_.size());
  }

  // Exact where every symbol has an end on both sides and there are not too many points.
  bool is_small() const {
    std::int64_t points = 1;
    for (const Interval& r : ranges_) {
      if (!r.has_lo() || !r.has_hi()) return false;
      const auto width = checked_sub(r.hi, r.lo);
      const auto more = width ? checked_mul(points, *width + 1) : std::nullopt;
      if (!more || *more > std::min(kMostPointsTried, most_points_)) return false;
      points = *more;
    }
    return true;
  }

  Verdict enumerate() { return fails_from(0) ? Verdict(refuted()) : Proved{{"exact enumeration"}}; }

  bool probe() {
    SplitMix64 random(0x1E6A11);
    for (int k = 0; k < kProbes && k < most_points_; ++k) {
      for (std::size_t i = 0; i < symbols_.size(); ++i) values_[i] = draw(i, random);
      if (is_counterexample()) return true;
    }
    return false;
  }

  Refuted refuted() const {
    Refuted result;
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      result.point.emplace_back(symbols_[i], values_[i]);
    }
    return result;
  }

 private:
  // Closes the set of roots: an assumption that shares a symbol with them, and what bounds one.
  void gather() {
    std::vector<Expr> conditions = facts_.assumptions();
    for (const Facts::Symbol& s : facts_.symbols()) {
      if (s.lo.valid() && !s.lo.is(Op::Const)) conditions.push_back(s.lo <= s.symbol);
      if (s.hi.valid() && !s.hi.is(Op::Const)) conditions.push_back(s.symbol <= s.hi);
    }
    std::vector<char> taken(conditions.size(), 0);
    std::vector<Expr> known = symbols_of(roots_);
    for (bool grew = true; grew;) {
      grew = false;
      for (std::size_t i = 0; i < conditions.size(); ++i) {
        if (taken[i]) continue;
        const std::vector<Expr> own = symbols_of(std::span(&conditions[i], 1));
        const bool meets = std::any_of(own.begin(), own.end(), [&](Expr e) {
          return std::any_of(known.begin(), known.end(), [&](Expr k) { return same(e, k); });
        });
        if (!meets) continue;
        taken[i] = 1;
        roots_.push_back(conditions[i]);
        known = symbols_of(roots_);
        grew = true;
      }
    }
    symbols_ = known;
    std::stable_sort(symbols_.begin(), symbols_.end(),
                     [&](Expr a, Expr b) { return facts_.position(a) < facts_.position(b); });
    for (Expr e : symbols_) {
      const Facts::Symbol* s = facts_.find(e);
      ranges_.push_back(s == nullptr ? Interval{} : s->range);
      congruences_.push_back(s == nullptr ? Congruence{} : s->congruence);
    }
  }

  bool is_counterexample() {
    if (!tape_.evaluate(values_) || tape_.root(0) != 0) return false;
    for (std::size_t i = 1; i < roots_.size(); ++i) {
      if (tape_.root(i) == 0) return false;
    }
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      if (!ranges_[i].contains(values_[i]) || !congruences_[i].contains(values_[i])) return false;
    }
    return true;
  }

  bool fails_from(std::size_t i) {
    if (i == symbols_.size()) return is_counterexample();
    for (std::int64_t v = ranges_[i].lo; v <= ranges_[i].hi; ++v) {
      values_[i] = v;
      if (fails_from(i + 1)) return true;
    }
    return false;
  }

  // Ends of ranges often, small values else.
  std::int64_t draw(std::size_t i, SplitMix64& random) const {
    Interval r = ranges_[i];
    if (!r.has_lo()) r.lo = std::min<std::int64_t>(-kWide, r.hi);
    const std::int64_t step = std::max<std::int64_t>(congruences_[i].modulus, 1);
    if (!r.has_hi()) r.hi = saturating_add(r.lo, saturating_mul(kWide, step));
    const std::uint64_t pick = random.next() % 8;
    std::int64_t v = r.lo;
    if (pick == 0) {
      v = r.hi;
    } else if (pick > 1) {
      const std::uint64_t width = std::uint64_t(r.hi) - std::uint64_t(r.lo) + 1;
      const std::uint64_t most = pick > 5 && width > 64 ? 64 : width;
      v = std::int64_t(std::uint64_t(r.lo) + (most == 0 ? random.next() : random.next() % most));
    }
    if (step == 1) return v;
    const std::int64_t down = *euclid_mod(*euclid_mod(v, step) - congruences_[i].residue, step);
    const std::int64_t member = saturating_add(v, -down);
    return member >= r.lo ? member : saturating_add(member, step);
  }

  const Facts& facts_;
  std::vector<Expr> roots_;  // the claim, then what must hold
  std::vector<Expr> symbols_;
  std::vector<Interval> ranges_;
  std::vector<Congruence> congruences_;
  Tape tape_;
  std::int64_t most_points_ = 0;
  std::vector<std::int64_t> values_;
};

}  // namespace

Verdict decide(const Facts& facts, Expr claim) {
  Simplifier simplifier(facts);
  Verdict verdict = simplifier.prove(claim);
  if (!std::holds_alternative<Unknown>(verdict)) return verdict;
  Survey survey(facts, claim);
  if (survey.is_small()) return survey.enumerate();
  if (survey.probe()) return survey.refuted();
  return verdict;
}

}  // namespace selvage
