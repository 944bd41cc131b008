#include <selvage/base/integer.h>
#include <selvage/base/work.h>
#include <selvage/simplifier/narrowing.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>
#include <utility>

namespace selvage {

namespace {

constexpr int kProofSteps = 10;
constexpr int kProofStepsUnderConditions = 40;
constexpr int kNestedProofSteps = 8;

}  // namespace

bool Simplifier::proves(Expr condition) {
  if (condition.depth() > kDeepest) return false;
  const Question question(*this, condition);
  normalize_parts(condition);
  if (condition.is(Op::And)) return proves(condition[0]) && proves(condition[1]);
  if (condition.is(Op::Eq)) {
    // Congruences alone: the rules that ask for divisibility are what would simplify this.
    const Congruence a = congruence(condition[0]), b = congruence(condition[1]);
    if (a.is_point() && b.is_point()) return a.residue == b.residue;
  }
  if (condition.is(Op::Lt) || condition.is(Op::Le)) {
    // Intervals settle most questions without a single new node.
    const Interval a = interval(condition[0]), b = interval(condition[1]);
    const bool strict = condition.is(Op::Lt);
    if (a.has_hi() && b.has_lo() && (strict ? a.hi < b.lo : a.hi <= b.lo)) return true;
    if (a.has_lo() && b.has_hi() && (strict ? a.lo >= b.hi : a.lo > b.hi)) return false;
    auto room = difference(condition[1], condition[0]);
    if (!room) return false;
    if (strict) {
      if (room->constant == INT64_MIN) return false;
      room->constant -= 1;
    }
    recompose_all(*room);
    return nonnegative(*room, kProofDepth) || no_point_denies(*room);
  }
  return normalize(condition).is_true();
}

// 0 <= sum, for the assumptions leave no values to deny it: by narrowing, where there are any.
bool Simplifier::no_point_denies(const LinearSum& sum) {
  constexpr int kBoxes = 12;
  if (known_nonnegative_.empty() || depth_ > 0 || !spend_on_proof() || is_refuted(sum))
    return false;
  const auto denied = negation(sum);
  if (!denied) return false;
  Narrowing narrowing([this](Expr e) { return interval(e); });
  narrowing.add(*denied);
  for (const LinearSum& known : known_nonnegative_) narrowing.add(known);
  return narrowing.is_empty(kBoxes, work_end_);
}

bool Simplifier::proves_nonnegative(Expr e) {
  if (e.depth() > kDeepest) return false;
  const Question question(*this, e);
  normalize_parts(e);
  return interval(e).lo >= 0 || nonnegative(LinearSum(linear(e)), kProofDepth);
}

// 0 <= sum? What was tried is remembered: proofs meet the same sums again and again.
bool Simplifier::nonnegative(const LinearSum& sum, int depth) {
  const Interval range = interval(sum);
  if (range.lo >= 0) return true;
  if (range.hi < 0 || depth == 0) return false;
  if (!spend_on_proof()) {
    all_tried_ = false;
    return false;
  }
  if (is_refuted(sum) || (depth == kProofDepth && depth_ >= kDeepestNesting)) return false;
  const int level = depth == kProofDepth ? depth_ + 1 : depth_;
  const bool supposing = level == 1 && !supposed_.sums.empty();  // no deeper
  Tried& tried = tried_[sum];
  if (tried.proved || (supposing && tried.proved_supposing)) return true;
  if (tried.failed[std::size_t(level)] >= depth) return false;
  const bool outer_tried = std::exchange(all_tried_, true);
  const int leaned_on = std::exchange(lean_on_, kNone);
  const bool proved = depth == kProofDepth ? prove_with_budget(sum) : search(sum, depth);
  if (lean_on_ != kNone || budget_ < 0 || steps_ <= 0) all_tried_ = false;
  if (proved) (supposing ? tried.proved_supposing : tried.proved) = true;
  if (!proved && all_tried_) tried.failed[std::size_t(level)] = depth;
  all_tried_ = all_tried_ && outer_tried;
  lean_on_ = std::min(lean_on_, leaned_on);
  return proved;
}

// Nothing ties the symbols of a plain sum together.
bool Simplifier::has_exact_interval(const LinearSum& sum) {
  const auto is_free = [this](const LinearSum::Term& t) {
    const Facts::Symbol* s = t.monomial.is(Op::Symbol) ? facts_.find(t.monomial) : nullptr;
    return s != nullptr && (!s->lo.valid() || s->lo.is(Op::Const)) &&
           (!s->hi.valid() || s->hi.is(Op::Const));
  };
  return known_nonnegative_.empty() && std::all_of(sum.terms.begin(), sum.terms.end(), is_free);
}

bool Simplifier::prove_with_budget(const LinearSum& sum) {
  if (has_exact_interval(sum) && supposed_.sums.empty()) return interval(sum).lo >= 0;
  ++depth_;
  const int saved = budget_;
  // A proof within a proof spends from what the outer one has left.
  const bool free = supposed_.sums.empty() && known_nonnegative_.empty();
  const int granted = depth_ > 1 ? std::min(saved, kNestedProofSteps)
                      : free     ? kProofSteps
                                 : kProofStepsUnderConditions;
  budget_ = granted;
  bool result = nonnegative(sum, kProofDepth - 1);
  if (!result && budget_ < 0 && depth_ == 1 && !free) {
    // What is assumed has taken all there was: once more as if nothing were, so that who knows more
    // proves no less.
    const bool outer = std::exchange(assumes_nothing_, true);
    budget_ = kProofSteps;
    result = nonnegative(sum, kProofDepth - 1);
    assumes_nothing_ = outer;
  }
  if (depth_ > 1) {
    if (budget_ < 0) all_tried_ = false;
    budget_ = saved - (granted - std::max(budget_, 0));
  } else {
    // Another time it would have the same budget.
    all_tried_ = proof_steps_ > 0 && has_work_left();
    budget_ = 0;
  }
  --depth_;
  return result;
}

// By replacing one atom after another by a bound of it, inner loops first, until intervals decide;
// else by taking away what is known to be at least 0.
bool Simplifier::search(LinearSum sum, int depth) {
  if (const std::int64_t g = content(sum); g > 1) {
    for (auto& t : sum.terms) t.coefficient /= g;
    sum.constant = floor_div(sum.constant, g);
  }
  replace_free_symbols(sum);
  if (interval(sum).lo >= 0) return true;
  if (--budget_ < 0) return false;
  if (follows_from_known(sum, depth)) return true;
  if (budget_ < 0) return false;

  Atoms atoms;
  for (const auto& t : sum.terms) {
    for (Expr atom : atoms_of(t.monomial)) {
      if (std::none_of(atoms.begin(), atoms.end(), [&](Expr a) { return same(a, atom); })) {
        atoms.push_back(atom);
      }
    }
  }
  std::stable_sort(atoms.begin(), atoms.end(),
                   [&](Expr a, Expr b) { return elimination_rank(a) > elimination_rank(b); });
  for (Expr atom : atoms) {
    if (eliminate(sum, atom, depth)) return true;
    if (budget_ < 0) return false;
  }
  return false;
}

// A symbol that occurs in one term alone, and in no assumption, is at its worst there: at the one
// end of its range. Nothing is lost by putting it there.
void Simplifier::replace_free_symbols(LinearSum& sum) {
  std::uint64_t once = 0, twice = known_symbols_ | supposed_.symbols;
  for (const auto& t : sum.terms) {
    const std::uint64_t here = symbol_mask(t.monomial);
    twice |= once & here;
    once |= here;
  }
  for (std::size_t i = sum.terms.size(); i-- > 0;) {
    const auto [symbol, k] = sum.terms[i];
    if (!symbol.is(Op::Symbol) || (own_bit(symbol) & twice) != 0) continue;
    const Facts::Symbol* s = facts_.find(symbol);
    if (s == nullptr) continue;
    const Expr end = k > 0 ? s->lo : s->hi;
    if (!end.valid()) continue;
    std::optional<LinearSum> replaced;
    if (end.is(Op::Const)) {
      const Interval range = interval(symbol);
      replaced = LinearSum::of_constant(k > 0 ? range.lo : range.hi);
    } else if (k > 0 ? !s->range.has_lo() : !s->range.has_hi()) {
      replaced = linear(end);
    }
    const auto rest = replaced ? add(sum, {{{symbol, k}}, 0}, -1) : std::nullopt;
    const auto result = rest ? add(*rest, *replaced, k) : std::nullopt;
    if (!result) continue;
    sum = *result;
    if (!end.is(Op::Const)) return replace_free_symbols(sum);
  }
}

std::uint64_t Simplifier::own_bit(Expr symbol) const {
  return std::uint64_t{1} << facts_.position(symbol) % 64;
}

// A bit for each symbol in e and in the bounds of these, shared by symbols 64 apart.
std::uint64_t Simplifier::symbol_mask(Expr e) {
  if (e.is(Op::Const) || e.is(Op::Bool)) return 0;
  std::uint64_t& memo = known_[e].symbols;
  if (memo != 0) return memo;
  if (e.is(Op::Let)) return memo = ~std::uint64_t{0};
  if (e.depth() > kDeep) {
    ask_below(
        e, [this](Expr n) { return known_[n].symbols != 0; }, [this](Expr n) { symbol_mask(n); });
  }
  std::uint64_t mask = 0;
  if (e.is(Op::Symbol)) {
    mask = own_bit(e);
    const Facts::Symbol* s = facts_.find(e);
    if (s != nullptr && s->lo.valid()) mask |= symbol_mask(s->lo);
    if (s != nullptr && s->hi.valid()) mask |= symbol_mask(s->hi);
  }
  for (Expr a : e.args()) mask |= symbol_mask(a);
  return memo = mask;
}

std::uint64_t Simplifier::symbol_mask(const LinearSum& sum) {
  count_work(sum.terms.size());
  std::uint64_t mask = 0;
  for (const auto& t : sum.terms) mask |= symbol_mask(t.monomial);
  return mask;
}

// 0 <= sum, if -m < m*sum - l*known for some m, l > 0: then -m < m*sum, and these are integers. The
// factors are chosen so that a monomial goes.
bool Simplifier::follows_from(const LinearSum& sum, const LinearSum& known, int depth) {
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
      if (less) less = add(*less, LinearSum::of_constant(1), -1);
      if (less && less->terms.size() <= sum.terms.size() + known.terms.size() &&
          nonnegative(*less, depth - 1)) {
        return true;
      }
      if (budget_ < 0) return false;
    }
  }
  return false;
}

// m, l > 0 with m*u = l*t, for terms of one sign of which one divides the other up to a constant.
std::optional<std::pair<LinearSum, LinearSum>> Simplifier::common_multiple(
    const LinearSum::Term& u, const LinearSum::Term& t) {
  if (u.coefficient == INT64_MIN || t.coefficient == INT64_MIN) return std::nullopt;
  const std::int64_t g = common_divisor(u.coefficient, t.coefficient);
  const std::int64_t m = magnitude(t.coefficient) / g, l = magnitude(u.coefficient) / g;
  if (same(u.monomial, t.monomial)) {
    return std::pair(LinearSum::of_constant(m), LinearSum::of_constant(l));
  }
  if (!t.monomial.is(Op::Mul) && !u.monomial.is(Op::Mul)) return std::nullopt;
  if (const auto f = divide_monomial(pool(), t.monomial, u.monomial)) {
    if (!f->valid()) return std::pair(LinearSum::of_constant(m), LinearSum::of_constant(l));
    if (interval(*f).lo < 1) return std::nullopt;
    return std::pair(LinearSum{{{*f, m}}, 0}, LinearSum::of_constant(l));
  }
  if (const auto f = divide_monomial(pool(), u.monomial, t.monomial)) {
    if (interval(*f).lo < 1) return std::nullopt;
    return std::pair(LinearSum::of_constant(m), LinearSum{{{*f, l}}, 0});
  }
  return std::nullopt;
}

bool Simplifier::follows_from_known(const LinearSum& sum, int depth) {
  if (assumes_nothing_) {
    all_tried_ = false;
    return false;
  }
  if (depth_ == 1) {
    for (const LinearSum* known : supposed_.sums) {
      if (follows_from(sum, *known, depth)) return true;
      if (budget_ < 0) return false;
    }
  }
  for (const LinearSum& known : known_nonnegative_) {
    if (follows_from(sum, known, depth)) return true;
    if (budget_ < 0) return false;
  }
  return false;
}

Simplifier::Supposing::Supposing(Simplifier& s, std::vector<const LinearSum*> sums)
    : simplifier_(s), outer_(std::exchange(s.supposed_, {})), tried_(std::exchange(s.tried_, {})) {
  s.supposed_.sums = std::move(sums);
  for (const LinearSum* sum : s.supposed_.sums) {
    s.supposed_.points &= s.samples().nonnegative(*sum);
    s.supposed_.symbols |= s.symbol_mask(*sum);
  }
}

Simplifier::Supposing::~Supposing() {
  simplifier_.supposed_ = std::move(outer_);
  simplifier_.tried_ = std::move(tried_);
}

Samples& Simplifier::samples() {
  if (samples_ == nullptr) samples_ = std::make_unique<Samples>(facts_);
  return *samples_;
}

bool Simplifier::is_refuted(const LinearSum& sum) {
  return samples().refutes_nonnegative(sum, depth_ <= 1 ? supposed_.points : Samples::kAll);
}

// Symbols by the depth of their declaration; a compound atom goes just before its last symbol.
std::size_t Simplifier::elimination_rank(Expr atom) {
  return atom.is(Op::Symbol) ? 2 * facts_.position(atom) : 2 * scope_depth(atom) - 1;
}

// 1 + the position of the last declared symbol that occurs in e; 1 if there is none.
std::size_t Simplifier::scope_depth(Expr e) {
  std::uint32_t& memo = known_[e].depth;
  if (memo != 0) return memo;
  std::size_t depth = e.is(Op::Symbol) ? facts_.position(e) + 1 : 1;
  if (!e.is(Op::Let)) {
    for (Expr a : e.args()) depth = std::max(depth, scope_depth(a));
  }
  return memo = std::uint32_t(depth);
}

void Simplifier::atom_bounds(Expr atom, std::vector<LinearSum>& lower,
                             std::vector<LinearSum>& upper) {
  const Interval range = interval(atom);
  if (range.has_lo()) lower.push_back(LinearSum::of_constant(range.lo));
  if (range.has_hi()) upper.push_back(LinearSum::of_constant(range.hi));
  if (atom.is(Op::Symbol)) {
    const Facts::Symbol* s = facts_.find(atom);
    if (s != nullptr && s->lo.valid() && !s->lo.is(Op::Const)) lower.push_back(linear(s->lo));
    if (s != nullptr && s->hi.valid() && !s->hi.is(Op::Const)) upper.push_back(linear(s->hi));
  } else if (atom.is(Op::Mod) && interval(atom[1]).lo >= 1) {
    const auto last = add(sum_of(atom[1]), LinearSum::of_constant(1), -1);
    if (last && !last->is_constant()) upper.push_back(*last);
    if (interval(atom[0]).lo >= 0) upper.push_back(sum_of(atom[0]));
  } else if (atom.is(Op::Div) && interval(atom[1]).lo >= 1 && interval(atom[0]).lo >= 0) {
    upper.push_back(sum_of(atom[0]));
  } else if (atom.is(Op::Min)) {
    for (Expr e : atom.args()) upper.push_back(sum_of(e));
  } else if (atom.is(Op::Max)) {
    for (Expr e : atom.args()) lower.push_back(sum_of(e));
  }
}

// 0 <= rest + k*(x / m) with m = f*k or -f*k: -f < f*rest + (a bound of m*(x / m)) is enough.
bool Simplifier::eliminate_quotient(const LinearSum& rest, const LinearSum& k, Expr atom,
                                    bool rising, int depth) {
  const auto positive = rising ? k : scale(k, -1);
  const auto f = positive ? divide_terms(pool(), sum_of(atom[1]), *positive) : std::nullopt;
  if (!f || f->quotient.is_zero() || !f->rest.is_zero() || interval(f->quotient).lo < 1) {
    return false;
  }
  // m*(x / m) lies between x - m + 1 and x.
  auto bound = rising ? add(sum_of(atom[0]), sum_of(atom[1]), -1) : scale(sum_of(atom[0]), -1);
  if (rising && bound) bound = add(*bound, LinearSum::of_constant(1));
  const auto scaled = multiply(rest, f->quotient);
  auto total = scaled && bound ? add(*scaled, *bound) : std::nullopt;
  if (total) total = add(*total, f->quotient);
  if (total) total = add(*total, LinearSum::of_constant(1), -1);
  if (!total) return false;
  recompose_all(*total);
  return nonnegative(*total, depth - 1);
}

// sum = factor*atom + rest: at least 0 if it is so with a bound of the atom in the atom's place.
bool Simplifier::eliminate(const LinearSum& sum, Expr atom, int depth) {
  LinearSum factor, rest;
  rest.constant = sum.constant;
  for (const auto& t : sum.terms) {
    const auto others = divide_monomial(pool(), t.monomial, atom);
    std::optional<LinearSum> grown;
    if (!others) {
      grown = add(rest, {{t}, 0});
      if (!grown) return false;
      rest = *grown;
    } else {
      grown = add(factor, others->valid() ? LinearSum{{{*others, t.coefficient}}, 0}
                                          : LinearSum::of_constant(t.coefficient));
      if (!grown) return false;
      factor = *grown;
    }
  }
  const Interval sign = interval(factor);
  const bool rising = sign.lo >= 0 || (!factor.is_constant() && nonnegative(factor, depth - 1));
  bool falling = sign.hi <= 0;
  if (!rising && !falling) {
    const auto opposite = scale(factor, -1);
    falling = opposite && nonnegative(*opposite, depth - 1);
  }
  if (!rising && !falling) return false;

  const auto holds_with = [&](const LinearSum& scaled_bound) {
    auto total = add(rest, scaled_bound);
    if (!total) return false;
    recompose_all(*total);
    return nonnegative(*total, depth - 1);
  };
  if (atom.is(Op::Div) && interval(atom[1]).lo >= 1) {
    // k*m*(x / m) lies between k*(x - m + 1) and k*x, for k >= 0.
    const LinearSum m = sum_of(atom[1]);
    const auto k = divide_terms(pool(), factor, m);
    if (k && k->rest.is_zero()) {
      auto x = std::optional(sum_of(atom[0]));
      if (rising) {
        x = add(*x, m, -1);
        if (x) x = add(*x, LinearSum::of_constant(1));
      }
      const auto bound = x ? multiply(k->quotient, *x) : std::nullopt;
      if (bound && holds_with(*bound)) return true;
    } else if (eliminate_quotient(rest, factor, atom, rising, depth)) {
      return true;
    }
  }
  std::vector<LinearSum> lower, upper;
  atom_bounds(atom, lower, upper);
  for (const LinearSum& bound : rising ? lower : upper) {
    const auto scaled = multiply(factor, bound);
    if (scaled && holds_with(*scaled)) return true;
  }
  return false;
}

}  // namespace selvage
