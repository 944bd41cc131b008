#include <selvage/base/integer.h>
#include <selvage/expr/tape.h>
#include <selvage/simplifier/narrowing.h>
#include <selvage/simplifier/parts.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace selvage {

namespace {

constexpr int kMostBoxes = 32;  // boxes for one proof by narrowing
constexpr int kMostRounds = 3;  // rounds of simplifying each conjunct under the others
constexpr std::int64_t kImpliedSteps = 8000;
constexpr std::size_t kMostSupposed = 16;  // conjuncts supposed in the proof of another

}  // namespace

Conjunctions::Conjunctions(SimplifierParts& parts, int level)
    : SimplifierPart(parts),
      prover_(parts.prover),
      normalizer_(parts.normalizer),
      rules_(parts.rules),
      digits_(parts.digits),
      comparisons_(parts.comparisons),
      level_(level) {}

// The conjunction is treated as a set. Conjuncts that follow from the others are dropped, the most
// expensive first; those that keep divisions are simplified under the others.
Expr Conjunctions::rewrite(Expr e) {
  std::vector<Conjunct> conjuncts;
  if (!collect(e, conjuncts)) return pool_.truth(false);
  drop_implied(conjuncts);
  bool simpler = level_ == 0 && conjuncts.size() <= kMostSupposed;
  for (int round = 0; simpler && round < kMostRounds && conjuncts.size() > 1; ++round) {
    simpler = false;
    for (Conjunct& c : conjuncts) {
      const Expr before = c.condition;
      if (structure_.all_divisions(before) > 0 && !simplify_under_others(conjuncts, c)) {
        return pool_.truth(false);
      }
      simpler = simpler || !same(c.condition, before);
    }
    if (simpler) drop_implied(conjuncts);
  }
  if (conjuncts.size() <= kMostSupposed && merge_steps(conjuncts)) {
    while (merge_steps(conjuncts)) {}
    drop_implied(conjuncts);
  }
  std::erase_if(conjuncts, [](const Conjunct& c) { return c.condition.is_true(); });
  Expr result;
  for (const Conjunct& c : conjuncts) {
    if (c.condition.is_false()) return c.condition;
    result = result.valid() ? result && c.condition : c.condition;
  }
  return result.valid() ? result : pool_.truth(true);
}

// Replaces 0 <= d and 0 <= d + m - k*y, with 0 <= m < k and 0 <= y, by 0 <= d - (k - m)*y.
// Equivalent where y <= 1; or where d < 2*(k - m), since then neither holds for y > 1.
bool Conjunctions::merge_steps(std::vector<Conjunct>& conjuncts) {
  for (Conjunct& low : conjuncts) {
    for (Conjunct& high : conjuncts) {
      if (&low == &high || !low.difference || !high.difference) continue;
      auto step = add(*low.difference, *high.difference, -1);
      if (!step || step->is_constant() || step->constant > 0) continue;
      const std::int64_t k = content(*step);
      if (step->constant <= -k) continue;
      const std::int64_t height = k + std::exchange(step->constant, 0);
      const auto y = divide_terms(pool_, *step, LinearSum::of_constant(k));
      const auto merged = y ? add(*low.difference, y->quotient, -height) : std::nullopt;
      if (!merged || interval(y->quotient).lo < 0) continue;
      const bool two_steps = interval(y->quotient).hi <= 1;
      const auto most = checked_mul(height, 2);
      if (!two_steps && !(most && prover_.is_below(*low.difference, *most))) continue;
      const Expr condition = normalizer_.normalize(comparisons_.write_order(*merged));
      if (cost(condition) >= cost(low.condition) + cost(high.condition)) continue;
      high = {pool_.truth(true), {}};
      low = {condition, comparisons_.difference_of(condition)};
      rules_.count(two_steps ? "and/one-step" : "and/first-step");
      return true;
    }
  }
  return false;
}

// Collects the conjuncts of e, simplified, each once. Returns false if one of them is false.
bool Conjunctions::collect(Expr e, std::vector<Conjunct>& conjuncts) {
  std::vector<Expr> open = {e};
  std::unordered_set<std::uint32_t> seen;
  while (!open.empty()) {
    const Expr c = open.back();
    open.pop_back();
    if (c.is(Op::And)) {
      open.push_back(c[1]);
      open.push_back(c[0]);
      continue;
    }
    const Expr s = normalizer_.normalize(c);
    if (s.is_false()) {
      rules_.count("and/false");
      return false;
    }
    if (s.is(Op::And)) {
      open.push_back(s);
      continue;
    }
    const bool known = !seen.insert(s.id()).second;
    if (s.is_true() || known) {
      rules_.count(known ? "and/same" : "and/true");
    } else {
      conjuncts.push_back({s, comparisons_.difference_of(s)});
    }
  }
  return true;
}

void Conjunctions::drop_implied(std::vector<Conjunct>& conjuncts) {
  if (conjuncts.size() < 2) return;
  struct Sum {
    Conjunct* conjunct;
    std::uint64_t symbols;
  };
  std::vector<Sum> left;
  for (Conjunct& c : conjuncts) {
    if (c.difference) left.push_back({&c, structure_.symbol_mask(*c.difference)});
  }
  std::vector<Sum> by_cost = left;
  std::stable_sort(by_cost.begin(), by_cost.end(), [&](const Sum& a, const Sum& b) {
    return cost(a.conjunct->condition) > cost(b.conjunct->condition);
  });
  const std::int64_t granted =
      std::max<std::int64_t>(200, kImpliedSteps / std::int64_t(conjuncts.size()));
  for (const auto& [c, symbols] : by_cost) {
    std::vector<const LinearSum*> others;
    for (const auto& [other, shared] : left) {
      if (other == c || (shared & symbols) == 0) continue;
      others.push_back(&*other->difference);
      if (others.size() == kMostSupposed) break;
    }
    if (others.empty() || !budget_.has_work_left()) continue;
    // Each goal has a budget of its own, so that one hard goal does not starve the rest.
    const std::int64_t saved = budget_.set_proof_steps(granted);
    const bool implied = follows(*c->difference, others);
    budget_.set_proof_steps(saved);
    if (!implied) continue;
    c->condition = pool_.truth(true);
    std::erase_if(left, [dropped = c](const Sum& s) { return s.conjunct == dropped; });
    rules_.count("and/implied");
  }
  std::erase_if(conjuncts, [](const Conjunct& c) { return c.condition.is_true(); });
}

// Bounds x for each quotient x / a of the sum: 0 <= rest - k*(x / a) with k > 0 says x < (q + 1)*a,
// where rest / k is at most q.
void Conjunctions::bound_quotients(const LinearSum& sum, std::vector<LinearSum>& out) {
  for (const auto& t : sum.terms) {
    if (!t.monomial.is(Op::Div) || t.coefficient >= 0 || t.coefficient == INT64_MIN) continue;
    const auto rest = add(sum, {{t}, 0}, -1);
    const Interval most = rest ? interval(*rest) : Interval::everything();
    if (!most.has_hi() || interval(t.monomial[1]).lo < 1) continue;
    const std::int64_t q = floor_div(most.hi, -t.coefficient);
    const auto limit = q < INT64_MAX ? scale(sum_of(t.monomial[1]), q + 1) : std::nullopt;
    auto room = limit ? one_less(add(*limit, sum_of(t.monomial[0]), -1)) : std::nullopt;
    if (room) out.push_back(std::move(*room));
  }
}

// Whether 0 <= goal is proved where these sums are at least 0.
bool Conjunctions::follows(const LinearSum& goal, const std::vector<const LinearSum*>& from) {
  std::vector<LinearSum> bounds;
  for (const LinearSum* sum : from) bound_quotients(*sum, bounds);
  std::vector<const LinearSum*> supposed = from;
  for (const LinearSum& bound : bounds) supposed.push_back(&bound);
  // Digits are computed while nothing is supposed, since their normal forms are remembered.
  const auto holds = [&](const LinearSum& sum) { return prover_.nonnegative(sum); };
  if (prover_.supposing(supposed, [&] { return holds(goal); })) return true;
  std::vector<LinearSum> in_other_digits;
  std::unordered_set<std::uint32_t> seen;
  for (const LinearSum* sum : from) {
    for (const auto& t : sum->terms) {
      for (Expr atom : atoms_of(t.monomial)) {
        if (!seen.insert(atom.id()).second) continue;
        auto digits = digits_.in_digits(goal, atom);
        while (digits && comparisons_.drop_common_factor(*digits)) {}
        if (digits) in_other_digits.push_back(std::move(*digits));
      }
    }
  }
  const auto any_holds = [&] {
    return std::any_of(in_other_digits.begin(), in_other_digits.end(), holds);
  };
  if (!in_other_digits.empty() && prover_.supposing(supposed, any_holds)) return true;
  const auto below = negation(goal);
  if (!below) return false;
  Narrowing narrowing([this](Expr e) { return interval(e); });
  narrowing.add(*below);
  for (const LinearSum* sum : from) narrowing.add(*sum);
  return narrowing.is_empty(kMostBoxes, budget_.work_end());
}

// Whether the divisors in e are positive even where the other conjuncts do not hold: every conjunct
// must have a value by itself.
bool Conjunctions::divisors_are_positive(Expr e) {
  for (Expr n : reachable(std::span(&e, 1), true)) {
    if ((n.is(Op::Div) || n.is(Op::Mod)) && interval(n[1]).lo < 1) return false;
  }
  return true;
}

// Simplifies c with the other conjuncts as facts. Returns false if c cannot hold with them.
bool Conjunctions::simplify_under_others(const std::vector<Conjunct>& conjuncts, Conjunct& c) {
  Facts facts = facts_;
  for (const Conjunct& other : conjuncts) {
    if (&other != &c && !other.condition.is_true()) facts.assume(other.condition);
  }
  SimplifierParts under(std::move(facts), level_ + 1, budget_.work_end());
  const Expr s = under.normal_form(c.condition);
  rules_.add_hits(under.rules);
  if (s.is_false()) return false;
  if (cost(s) >= cost(c.condition) || !divisors_are_positive(s)) return true;
  c = {s, comparisons_.difference_of(s)};
  return true;
}

}  // namespace selvage
