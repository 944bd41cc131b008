#include <selvage/base/integer.h>
#include <selvage/simplifier/parts.h>

#include <algorithm>
#include <utility>

namespace selvage {

namespace {

void narrow_to(SimplifierParts& parts, Expr e, const Interval& range) {
  parts.bounds.narrow_to(e, range);
  parts.prover.forget();
}

// Narrows the monomials of the assumed sums, each by the interval of the other terms of its sum,
// until nothing changes or the rounds are over.
void narrow_terms(SimplifierParts& parts) {
  constexpr int kRounds = 4;
  bool moved = true;
  for (int round = 0; moved && round < kRounds; ++round) {
    moved = false;
    for (const LinearSum& sum : parts.premises.assumed()) {
      for (const auto& t : sum.terms) {
        // 0 <= k*x + rest
        const auto rest = add(sum, {{t}, 0}, -1);
        const Interval others = rest ? parts.bounds.interval(*rest) : Interval::everything();
        if (!others.has_hi() || t.coefficient == INT64_MIN) continue;
        const Interval old = parts.bounds.interval(t.monomial);
        Interval now = old;
        if (t.coefficient > 0) {
          const auto least = checked_sub(0, others.hi);
          if (least) now.lo = std::max(now.lo, -floor_div(-*least, t.coefficient));
        } else {
          now.hi = std::min(now.hi, floor_div(others.hi, -t.coefficient));
        }
        if (now == old || now.empty()) continue;
        narrow_to(parts, t.monomial, now);
        moved = true;
      }
    }
  }
}

// Fixes symbols in premises at their lower bound where no other value is possible: N*i < N leaves
// only i = 0, which no interval of N*i shows. Of symbols that are terms by themselves alone the
// intervals do.
void narrow_symbols(SimplifierParts& parts) {
  std::uint64_t inside = 0;  // symbols in compound terms
  for (const LinearSum& sum : parts.premises.assumed()) {
    for (const auto& t : sum.terms) {
      if (!t.monomial.is(Op::Symbol)) inside |= parts.structure.symbol_mask(t.monomial);
    }
  }
  for (std::size_t i = 0; i < parts.facts.symbols().size(); ++i) {
    const Expr symbol = parts.facts.symbols()[i].symbol;
    const Interval range = parts.bounds.interval(symbol);
    const bool is_tied = (parts.structure.own_bit(symbol) & inside) != 0;
    if (!range.has_lo() || range.is_point() || !is_tied) continue;
    const LinearSum nothing_more = {{{symbol, -1}}, range.lo};
    if (parts.prover.nonnegative(nothing_more) || parts.prover.no_point_denies(nothing_more)) {
      narrow_to(parts, symbol, Interval::point(range.lo));
    }
  }
}

// Takes these sums to be at least 0, and forgets answers given without them.
void learn(SimplifierParts& parts, std::vector<LinearSum> sums) {
  for (LinearSum& sum : sums) parts.premises.assume(std::move(sum));
  parts.prover.forget();
  narrow_terms(parts);
  narrow_symbols(parts);
  parts.forget_answers();
}

// Adds the sums that are at least 0 because the comparison holds: two for an equation, else one.
void add_consequences(SimplifierParts& parts, Expr comparison, std::vector<LinearSum>& sums) {
  const LinearSum a = parts.normalizer.linear(comparison[0]);
  const LinearSum b = parts.normalizer.linear(comparison[1]);
  auto d = add(b, a, -1);
  if (comparison.is(Op::Lt)) d = one_less(d);
  if (d) sums.push_back(*std::move(d));
  if (!comparison.is(Op::Eq)) return;
  if (auto opposite = add(a, b, -1)) sums.push_back(*std::move(opposite));
}

LearnedAssumption learned_by(SimplifierParts& parts, Expr assumption) {
  LearnedAssumption learned{parts.normalizer.normal_form(assumption), {}};
  const Expr s = learned.truth;
  if (s.is(Op::Lt) || s.is(Op::Le) || s.is(Op::Eq)) add_consequences(parts, s, learned.sums);
  return learned;
}

// Learns the assumptions. Comparisons become sums that are at least 0; every condition is
// recognised where it occurs. All are normalized before any counts as true: none proves itself
// away.
void learn_assumptions(SimplifierParts& parts, SimplifierParts* with_symbols) {
  std::vector<LinearSum> sums;
  std::vector<Expr> truths;
  for (Expr e : parts.facts.assumptions()) {
    if (e.depth() > Simplifier::kDeepest) continue;
    const LearnedAssumption own =
        with_symbols != nullptr ? with_symbols->learned(e) : learned_by(parts, e);
    truths.push_back(own.truth);
    sums.insert(sums.end(), own.sums.begin(), own.sums.end());
  }
  if (truths.empty()) return;
  parts.normalizer.assume(truths);
  learn(parts, std::move(sums));
  const std::vector<LinearSum>& known = parts.premises.assumed();
  if (known.size() < 2) return;
  // Under the other assumptions both sides of a comparison may be simpler. The sums that follow
  // from the simpler sides are learned too.
  std::vector<LinearSum> more;
  for (Expr s : truths) {
    if (s.is(Op::Lt) || s.is(Op::Le)) add_consequences(parts, s, more);
  }
  std::erase_if(more, [&](const LinearSum& sum) {
    return parts.bounds.interval(sum).lo >= 0 ||
           std::any_of(known.begin(), known.end(),
                       [&](const LinearSum& other) { return other.equals(sum); });
  });
  if (!more.empty()) learn(parts, std::move(more));
}

}  // namespace

SimplifierPart::SimplifierPart(SimplifierParts& parts)
    : facts_(parts.facts),
      pool_(parts.facts.pool()),
      budget_(parts.budget),
      structure_(parts.structure),
      bounds_(parts.bounds) {}

SimplifierParts::SimplifierParts(Facts known, int level, std::uint64_t last_work,
                                 SimplifierParts* with_symbols)
    : facts(std::move(known)), budget(last_work), conjunctions(*this, level) {
  budget.grant(facts.pool().truth(true));
  learn_assumptions(*this, with_symbols);
  if (budget.has_run_out()) forget_answers();
}

Expr SimplifierParts::normal_form(Expr e) {
  if (e.depth() > Simplifier::kDeepest) return e;
  return answer(e, [&] { return normalizer.normal_form(e); });
}

const LearnedAssumption& SimplifierParts::learned(Expr assumption) {
  const auto [known, is_new] = learned_.try_emplace(assumption.id());
  if (is_new) known->second = answer(assumption, [&] { return learned_by(*this, assumption); });
  return known->second;
}

void SimplifierParts::forget_answers() {
  normalizer.forget();
  writer.forget();
  texts.forget();
  prover.forget();
}

}  // namespace selvage
