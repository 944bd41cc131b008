#include <selvage/base/integer.h>
#include <selvage/base/random.h>
#include <selvage/expr/symbols.h>
#include <selvage/legality/decide.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr int kProbes = 4'000;
constexpr int kFewProbes = 64;  // where a proof is tried as well
constexpr int kPasses = 16;     // over all values of a counterexample, to make them small
constexpr std::int64_t kMostWork = std::int64_t{1}
                                   << 26;  // nodes evaluated, at all points together
constexpr std::int64_t kWide = 48;         // of a range without an end, as far as it is probed

// The symbols of a claim with all conditions that they hang together with, in the order of
// declaration: what bounds a symbol comes before it. `seed`: a condition that counts as well.
class Survey {
 public:
  Survey(const Facts& facts, Expr claim, Expr seed = {})
      : facts_(facts), roots_{claim}, tape_({}, {}) {
    if (seed.valid()) roots_.push_back(seed);
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

  // Looks for a counterexample, first at a point that may be one, and makes its values small.
  bool probe(const Point& first = {}) {
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      values_[i] = value_of(symbols_[i], first).value_or(0);
    }
    if ((first.empty() || !is_counterexample()) && !is_refuted_by(kProbes)) return false;
    make_small();
    return true;
  }
  // By as many points, at most.
  bool is_refuted_by(int probes) {
    SplitMix64 random(0x1E6A11);
    for (int k = 0; k < probes && k < most_points_; ++k) {
      for (std::size_t i = 0; i < symbols_.size(); ++i) values_[i] = draw(i, random);
      if (is_counterexample()) return true;
    }
    return false;
  }

  Refuted refuted() const { return {point_at(symbols_, values_)}; }

 private:
  // Closes the set of roots: an assumption that shares a symbol with them, and what bounds one.
  void gather() {
    struct Condition {
      Expr condition;
      std::vector<Expr> symbols;
    };
    std::vector<Condition> open;
    for (Expr c : relations(facts_)) open.push_back({c, symbols_of(std::span(&c, 1))});
    symbols_ = symbols_of(roots_);
    const auto take = [&](const Condition& c) {
      const bool meets =
          c.symbols.empty() || std::any_of(c.symbols.begin(), c.symbols.end(),
                                           [&](Expr e) { return contains(symbols_, e); });
      if (!meets) return false;
      roots_.push_back(c.condition);
      for (Expr e : c.symbols) {
        if (!contains(symbols_, e)) symbols_.push_back(e);
      }
      return true;
    };
    while (std::erase_if(open, take) > 0) {}
    std::sort(symbols_.begin(), symbols_.end(), structurally_before);
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

  // Value by value, outer symbols first: the end of its range, or halves the way there. Where
  // values hang together each may only go as far as another went: not to the end, then.
  void make_small() {
    bool changed = true;
    for (int pass = 0; changed && pass < kPasses; ++pass) {
      changed = false;
      for (std::size_t i = 0; i < symbols_.size(); ++i) {
        const std::int64_t end =
            ranges_[i].has_lo() ? ranges_[i].lo : std::min<std::int64_t>(0, ranges_[i].hi);
        for (std::int64_t way = saturating_add(values_[i], -end); way > 0; way /= 2) {
          const std::int64_t before = values_[i];
          values_[i] = before - way;
          if (values_[i] < end || !is_counterexample()) {
            values_[i] = before;
          } else {
            changed = true;
          }
        }
      }
    }
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

// A counterexample speaks of the symbols that its claim hangs together with. The others need
// values, too, that the facts allow: if there are none, the facts never hold, nor does it speak
// against anything.
Verdict completed(const Facts& facts, Refuted refuted) {
  const Expr never = facts.pool().truth(false);
  for (Expr condition : relations(facts)) {
    const std::vector<Expr> symbols = symbols_of(std::span(&condition, 1));
    const bool is_there = std::all_of(symbols.begin(), symbols.end(), [&](Expr e) {
      return value_of(e, refuted.point).has_value();
    });
    if (is_there) continue;
    Survey survey(facts, never, condition);
    if (survey.is_small()) {
      const Verdict found = survey.enumerate();
      if (is_proved(found)) return found;
    } else if (!survey.probe()) {
      return Unknown{condition};
    }
    for (const auto& p : survey.refuted().point) {
      if (!value_of(p.first, refuted.point)) refuted.point.push_back(p);
    }
  }
  for (const Facts::Symbol& s : facts.symbols()) {
    if (s.range.empty()) return Proved{{"no point"}};
    if (value_of(s.symbol, refuted.point)) continue;
    const std::int64_t first =
        s.range.has_lo() ? s.range.lo : std::min<std::int64_t>(0, s.range.hi);
    const Congruence& c = s.congruence;
    const std::int64_t up =
        c.modulus > 1 ? *euclid_mod(c.residue - *euclid_mod(first, c.modulus), c.modulus) : 0;
    refuted.point.emplace_back(s.symbol, c.modulus == 0 ? c.residue : saturating_add(first, up));
  }
  std::stable_sort(refuted.point.begin(), refuted.point.end(), [&](const auto& a, const auto& b) {
    return facts.position(a.first) < facts.position(b.first);
  });
  return refuted;
}

}  // namespace

bool is_quick(std::span<const Expr> roots, std::int64_t points) {
  return points <= kMostPointsTried &&
         points * std::int64_t(reachable(roots, true).size()) <= kMostWork;
}

std::optional<Proved> proof_of(const Facts& facts, Expr claim) {
  Simplifier simplifier(facts);
  return proof_of(simplifier, claim);
}

std::optional<Proved> proof_of(Simplifier& under, Expr claim) {
  Survey survey(under.facts(), claim);
  if (survey.is_refuted_by(kFewProbes)) return std::nullopt;
  Verdict verdict = under.prove(claim);
  if (!is_proved(verdict) && survey.is_small()) verdict = survey.enumerate();
  if (auto* proved = std::get_if<Proved>(&verdict)) return std::move(*proved);
  return std::nullopt;
}

Verdict decide(const Facts& facts, Expr claim) {
  Simplifier simplifier(facts);
  return decide(simplifier, claim);
}

Verdict decide(Simplifier& under, Expr claim) {
  Verdict verdict = under.prove(claim);
  if (is_proved(verdict)) return verdict;
  // Of all points that refute it the first says most.
  Survey survey(under.facts(), claim);
  if (survey.is_small()) {
    verdict = survey.enumerate();
  } else if (survey.probe(point_of(verdict))) {
    verdict = survey.refuted();
  }
  if (auto* refuted = std::get_if<Refuted>(&verdict)) {
    return completed(under.facts(), std::move(*refuted));
  }
  return verdict;
}

}  // namespace selvage
