#include <selvage/expr/symbols.h>
#include <selvage/legality/decide.h>
#include <selvage/simplifier/sampler.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>
#include <array>

namespace selvage {

namespace {

constexpr int kProbes = 4'000;
constexpr int kFewProbes = 64;  // where a proof is tried as well
constexpr int kPasses = 16;     // over all values of a counterexample, to make them small
// Nodes evaluated, at all points together.
constexpr std::int64_t kMostWork = std::int64_t{1} << 26;
constexpr std::int64_t kSpread = 64;  // of values that are tried

// Looks for points at which a claim fails. `seed`: a condition whose symbols get values as well.
class Survey {
 public:
  Survey(const Facts& facts, Expr claim, Expr seed = {})
      : sampler_(facts, std::array{claim, seed.valid() ? seed : claim}),
        most_points_(kMostWork / sampler_.cost()) {}

  // Whether all points can be tried: every symbol has both ends, and points are not too many.
  bool is_small() const {
    return sampler_.count(std::min(kMostPointsTried, most_points_)).has_value();
  }

  Verdict enumerate() {
    const bool holds = sampler_.for_each([&] { return sampler_.root(0) != 0; });
    return holds ? Verdict(Proved{{"exact enumeration"}}) : refuted();
  }

  // Looks for a counterexample, first at a point that may be one, and makes its values small.
  bool probe(const Point& first = {}) {
    const bool is_first =
        !first.empty() && sampler_.move_to(values_at(first)) && sampler_.root(0) == 0;
    if (!is_first && !is_refuted_by(kProbes)) return false;
    make_small();
    return true;
  }
  // Whether one of at most `probes` points refutes the claim.
  bool is_refuted_by(int probes) {
    for (int k = 0; k < probes && k < most_points_; ++k) {
      if (sampler_.draw(kSpread) && sampler_.root(0) == 0) return true;
    }
    return false;
  }

  Refuted refuted() const { return {sampler_.point()}; }

 private:
  std::vector<std::int64_t> values_at(const Point& point) const {
    std::vector<std::int64_t> values;
    for (Expr e : sampler_.symbols()) values.push_back(value_of(e, point).value_or(0));
    return values;
  }

  // Moves each value, outer symbols first, to the end of its range, or half the way there, and so
  // on. Values that are tied together can only go as far as the others have gone, so one pass may
  // not reach the end.
  void make_small() {
    bool changed = true;
    for (int pass = 0; changed && pass < kPasses; ++pass) {
      changed = false;
      for (std::size_t i = 0; i < sampler_.symbols().size(); ++i) {
        const Interval& range = sampler_.range(i);
        const std::int64_t end = range.has_lo() ? range.lo : std::min<std::int64_t>(0, range.hi);
        for (std::int64_t way = saturating_add(sampler_.values()[i], -end); way > 0; way /= 2) {
          const std::int64_t before = sampler_.values()[i];
          const bool fails =
              before - way >= end && sampler_.move(i, before - way) && sampler_.root(0) == 0;
          if (!fails) sampler_.move(i, before);
          changed = changed || fails;
        }
      }
    }
  }

  Sampler sampler_;  // of the claim first
  std::int64_t most_points_;
};

// Gives values to the symbols of the facts that a counterexample lacks. Proved if there are none
// that the facts allow: then the facts never hold. Unknown if none are found.
Verdict completed(const Facts& facts, Refuted refuted) {
  const Expr never = facts.pool().truth(false);
  for (Expr condition : relations(facts)) {
    const std::vector<Expr> symbols = symbols_of(condition);
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
    refuted.point.emplace_back(s.symbol, first_member(first, s.congruence).value_or(first));
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
  // The first of all refuting points says most, so it is preferred to the prover's.
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
