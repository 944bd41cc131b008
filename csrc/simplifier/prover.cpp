#include <selvage/base/integer.h>
#include <selvage/base/work.h>
#include <selvage/simplifier/narrowing.h>
#include <selvage/simplifier/parts.h>

#include <algorithm>
#include <utility>

namespace selvage {

namespace {

constexpr int kProofSteps = 10;
constexpr int kProofStepsUnderConditions = 40;
constexpr int kNestedProofSteps = 8;

}  // namespace

void Premises::assume(LinearSum sum) {
  const auto is_it = [&](const LinearSum& other) { return other.equals(sum); };
  if (std::ranges::any_of(assumed_, is_it)) return;
  assumed_symbols_ |= structure_.symbol_mask(sum);
  assumed_.push_back(std::move(sum));
}

Premises::Supposed Premises::suppose(const std::vector<const LinearSum*>& sums) {
  Supposed supposed{sums};
  for (const LinearSum* sum : supposed.sums) {
    supposed.points &= samples().nonnegative(*sum);
    supposed.symbols |= structure_.symbol_mask(*sum);
  }
  return suppose(std::move(supposed));
}

Premises::Supposed Premises::suppose(Supposed supposed) {
  return std::exchange(supposed_, std::move(supposed));
}

bool Premises::leave_free(const LinearSum& sum) const {
  const auto is_free = [this](const LinearSum::Term& t) {
    const Facts::Symbol* s = t.monomial.is(Op::Symbol) ? facts_.find(t.monomial) : nullptr;
    return s != nullptr && (!s->lo.valid() || s->lo.is(Op::Const)) &&
           (!s->hi.valid() || s->hi.is(Op::Const));
  };
  return assumed_.empty() && std::all_of(sum.terms.begin(), sum.terms.end(), is_free);
}

bool Premises::refute(const LinearSum& sum, bool as_supposed) {
  return samples().refutes_nonnegative(sum, as_supposed ? supposed_.points : Samples::kAll);
}

Samples& Premises::samples() {
  if (samples_ == nullptr) samples_ = std::make_unique<Samples>(facts_);
  return *samples_;
}

Prover::Prover(SimplifierParts& parts)
    : SimplifierPart(parts),
      premises_(parts.premises),
      normalizer_(parts.normalizer),
      elimination_(parts.elimination),
      recomposition_(parts.recomposition) {}

bool Prover::no_point_denies(const LinearSum& sum) {
  constexpr int kBoxes = 12;
  if (premises_.assumed().empty() || depth_ > 0 || !budget_.spend_on_proof() || is_refuted(sum)) {
    return false;
  }
  const auto denied = negation(sum);
  return denied && points_of(*denied).is_empty(kBoxes, budget_.work_end());
}

Narrowing Prover::points_of(const LinearSum& sum) {
  Narrowing narrowing([this](Expr e) { return interval(e); });
  narrowing.add(sum);
  for (const LinearSum& known : premises_.assumed()) narrowing.add(known);
  return narrowing;
}

bool Prover::is_below(const LinearSum& sum, std::int64_t bound) {
  const auto opposite = negation(sum);
  const auto room = opposite ? add(*opposite, LinearSum::of_constant(bound)) : std::nullopt;
  return room && nonnegative(*room);
}

bool Prover::is_refuted(const LinearSum& sum) { return premises_.refute(sum, depth_ <= 1); }

bool Prover::nonnegative(const LinearSum& sum, int depth) {
  const Interval range = interval(sum);
  if (range.lo >= 0) return true;
  if (range.hi < 0 || depth == 0) return false;
  if (!budget_.spend_on_proof()) {
    all_tried_ = false;
    return false;
  }
  if (is_refuted(sum) || (depth == kProofDepth && depth_ >= kDeepestNesting)) return false;
  const int level = depth == kProofDepth ? depth_ + 1 : depth_;
  const bool supposing = level == 1 && !premises_.supposed().empty();  // not in nested proofs
  Tried& tried = tried_[sum];
  if (tried.proved || (supposing && tried.proved_supposing)) return true;
  if (tried.failed[std::size_t(level)] >= depth) return false;
  const bool outer_tried = std::exchange(all_tried_, true);
  const int leaned_on = normalizer_.stop_leaning();
  const bool proved = depth == kProofDepth
                          ? prove_with_budget(sum) || (depth_ == 0 && holds_by_rows(sum))
                          : search(sum, depth);
  if (normalizer_.is_leaning() || steps_ < 0 || !budget_.has_steps_left()) all_tried_ = false;
  if (proved) (supposing ? tried.proved_supposing : tried.proved) = true;
  if (!proved && all_tried_) tried.failed[std::size_t(level)] = depth;
  all_tried_ = all_tried_ && outer_tried;
  normalizer_.lean_on(leaned_on);
  return proved;
}

bool Prover::prove_with_budget(const LinearSum& sum) {
  if (premises_.leave_free(sum) && premises_.supposed().empty()) return interval(sum).lo >= 0;
  ++depth_;
  const int saved = steps_;
  // A proof within a proof spends from what the outer one has left.
  const bool free = premises_.supposed().empty() && premises_.assumed().empty();
  const int granted = depth_ > 1 ? std::min(saved, kNestedProofSteps)
                      : free     ? kProofSteps
                                 : kProofStepsUnderConditions;
  steps_ = granted;
  bool result = nonnegative(sum, kProofDepth - 1);
  if (!result && steps_ < 0 && depth_ == 1 && !free) {
    // The premises took all steps: try without them, so that more assumptions never prove less.
    const bool outer = std::exchange(assumes_nothing_, true);
    steps_ = kProofSteps;
    result = nonnegative(sum, kProofDepth - 1);
    assumes_nothing_ = outer;
  }
  if (depth_ > 1) {
    if (steps_ < 0) all_tried_ = false;
    steps_ = saved - (granted - std::max(steps_, 0));
  } else {
    // Another attempt would have the same steps, so nothing was left out unless the budget ran out.
    all_tried_ = budget_.has_proof_steps_left() && budget_.has_work_left();
    steps_ = 0;
  }
  --depth_;
  return result;
}

// An address of rows of s items, s*min(x, y) + r, where an access mode gives the row: with
// sum = s*g + r and s >= 0, 0 <= sum if 0 <= g and 0 <= r, or 0 < g and 0 <= s + r. Multiplied out,
// the parts would share no proof of the few steps that one may take.
bool Prover::holds_by_rows(const LinearSum& sum) {
  constexpr std::size_t kMostLengths = 3;
  std::vector<Expr> lengths;
  for (const auto& t : sum.terms) {
    for (Expr atom : atoms_of(t.monomial)) {
      if (!atom.is(Op::Min) && !atom.is(Op::Max)) continue;
      const auto length = divide_monomial(pool_, t.monomial, atom);
      if (!length || !length->valid() || interval(*length).lo < 0) continue;
      const auto is_same = [&](Expr e) { return same(e, *length); };
      if (std::ranges::none_of(lengths, is_same)) lengths.push_back(*length);
    }
  }
  if (lengths.size() > kMostLengths) return false;
  return std::ranges::any_of(lengths, [&](Expr s) {
    const LinearSum length = LinearSum::of_term(1, s);
    const auto parts = divide_terms(pool_, sum, length);
    if (!parts || parts->quotient.is_zero() || parts->rest.is_zero()) return false;
    if (nonnegative(parts->rest, kProofDepth)) return nonnegative(parts->quotient, kProofDepth);
    const auto more = add(parts->rest, length), less = one_less(parts->quotient);
    return more && less && nonnegative(*more, kProofDepth) && nonnegative(*less, kProofDepth);
  });
}

// Searches for a proof: subtracts what is known to be at least 0; else replaces one atom after
// another by a bound of it, inner loops first, until intervals decide.
bool Prover::search(LinearSum sum, int depth) {
  if (const std::int64_t g = content(sum); g > 1) {
    for (auto& t : sum.terms) t.coefficient /= g;
    sum.constant = floor_div(sum.constant, g);
  }
  elimination_.replace_free_symbols(sum);
  if (interval(sum).lo >= 0) return true;
  if (--steps_ < 0) return false;
  if (follows_from_known(sum, depth)) return true;
  if (steps_ < 0) return false;

  Atoms atoms;
  for (const auto& t : sum.terms) {
    for (Expr atom : atoms_of(t.monomial)) {
      if (std::none_of(atoms.begin(), atoms.end(), [&](Expr a) { return same(a, atom); })) {
        atoms.push_back(atom);
      }
    }
  }
  std::stable_sort(atoms.begin(), atoms.end(), [&](Expr a, Expr b) {
    return structure_.elimination_rank(a) > structure_.elimination_rank(b);
  });
  for (Expr atom : atoms) {
    if (elimination_.eliminate(sum, atom, depth)) return true;
    if (steps_ < 0) return false;
  }
  return false;
}

// Proves 0 <= sum from 0 <= known: it is enough that -m < m*sum - l*known for some m, l > 0, for
// then -m < m*sum, and sum is an integer. m and l are chosen so that a monomial cancels.
bool Prover::follows_from(const LinearSum& sum, const LinearSum& known, int depth) {
  count_work(known.terms.size() * sum.terms.size());
  std::vector<std::pair<LinearSum, LinearSum>> tried;
  for (const auto& t : known.terms) {
    for (const auto& u : sum.terms) {
      if ((u.coefficient > 0) != (t.coefficient > 0)) continue;
      const auto factors = common_multiple(u, t);
      if (!factors || tried.size() == 3) continue;
      const LinearSum &m = factors->first, &l = factors->second;
      if (std::any_of(tried.begin(), tried.end(), [&](const auto& other) {
            return other.first.equals(m) && other.second.equals(l);
          })) {
        continue;
      }
      tried.push_back(*factors);
      const auto scaled = multiply(sum, m), taken = multiply(known, l);
      auto less = scaled && taken ? add(*scaled, *taken, -1) : std::nullopt;
      if (less) less = add(*less, m);
      less = one_less(less);
      if (less) recomposition_.recompose_all(*less);
      if (less && less->terms.size() <= sum.terms.size() + known.terms.size() &&
          nonnegative(*less, depth - 1)) {
        return true;
      }
      if (steps_ < 0) return false;
    }
  }
  return false;
}

// The m, l > 0 with m*u = l*t, for terms of one sign; nothing if no monomial divides the other.
std::optional<std::pair<LinearSum, LinearSum>> Prover::common_multiple(const LinearSum::Term& u,
                                                                       const LinearSum::Term& t) {
  if (u.coefficient == INT64_MIN || t.coefficient == INT64_MIN) return std::nullopt;
  const std::int64_t g = common_divisor(u.coefficient, t.coefficient);
  const std::int64_t m = magnitude(t.coefficient) / g, l = magnitude(u.coefficient) / g;
  if (same(u.monomial, t.monomial)) {
    return std::pair(LinearSum::of_constant(m), LinearSum::of_constant(l));
  }
  if (!t.monomial.is(Op::Mul) && !u.monomial.is(Op::Mul)) return std::nullopt;
  if (const auto f = divide_monomial(pool_, t.monomial, u.monomial)) {
    if (!f->valid()) return std::pair(LinearSum::of_constant(m), LinearSum::of_constant(l));
    if (interval(*f).lo < 1) return std::nullopt;
    return std::pair(LinearSum{{{*f, m}}, 0}, LinearSum::of_constant(l));
  }
  if (const auto f = divide_monomial(pool_, u.monomial, t.monomial)) {
    if (interval(*f).lo < 1) return std::nullopt;
    return std::pair(LinearSum::of_constant(m), LinearSum{{{*f, l}}, 0});
  }
  return std::nullopt;
}

bool Prover::follows_from_known(const LinearSum& sum, int depth) {
  if (assumes_nothing_) {
    all_tried_ = false;
    return false;
  }
  if (depth_ == 1) {
    for (const LinearSum* known : premises_.supposed()) {
      if (follows_from(sum, *known, depth)) return true;
      if (steps_ < 0) return false;
    }
  }
  for (const LinearSum& known : premises_.assumed()) {
    if (follows_from(sum, known, depth)) return true;
    if (steps_ < 0) return false;
  }
  return false;
}

}  // namespace selvage
