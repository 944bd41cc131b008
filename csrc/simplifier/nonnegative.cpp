#include <selvage/base/integer.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr int kProofSteps = 60;
constexpr int kNestedProofSteps = 8;
constexpr int kProofDepth = 6;
constexpr int kDeepestNesting = 3;  // of proofs within simplifications within proofs

}  // namespace

bool Simplifier::proves(Expr condition) {
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
    auto difference = add(linear(condition[1]), linear(condition[0]), -1);
    if (!difference) return false;
    if (strict) {
      if (difference->constant == INT64_MIN) return false;
      difference->constant -= 1;
    }
    while (recompose(*difference)) {}
    return nonnegative(*difference, kProofDepth);
  }
  return simplify(condition).is_true();
}

bool Simplifier::proves_nonnegative(Expr e) {
  return interval(e).lo >= 0 || nonnegative(linear(e), kProofDepth);
}

// 0 <= sum? By intervals, else by replacing one atom after another by a bound of it, inner loops
// first, until intervals decide; else by taking away what is known to be at least 0.
bool Simplifier::nonnegative(const LinearSum& given, int depth) {
  const Interval range = interval(given);
  if (range.lo >= 0) return true;
  if (range.hi < 0 || depth == 0 || is_refuted(given)) return false;
  LinearSum sum = given;
  if (const std::int64_t g = content(sum); g > 1) {
    for (auto& t : sum.terms) t.coefficient /= g;
    sum.constant = floor_div(sum.constant, g);
  }
  const bool outermost = depth == kProofDepth;
  if (outermost) {
    // Where nothing ties the symbols of a plain sum together, intervals are exact.
    const bool plain = std::all_of(sum.terms.begin(), sum.terms.end(), [&](const auto& t) {
      const Facts::Symbol* s = t.monomial.is(Op::Symbol) ? facts_.find(t.monomial) : nullptr;
      return s != nullptr && (!s->lo.valid() || s->lo.is(Op::Const)) &&
             (!s->hi.valid() || s->hi.is(Op::Const));
    });
    if (plain && known_nonnegative_.empty()) return interval(sum).lo >= 0;
    if (depth_ >= kDeepestNesting) return false;
    ++depth_;
    const int saved = budget_;
    // A proof within a proof spends from what the outer one has left.
    const int granted = depth_ == 1 ? kProofSteps : std::min(saved, kNestedProofSteps);
    budget_ = granted;
    const bool result = nonnegative(sum, depth - 1);
    if (depth_ > 1) budget_ = saved - (granted - std::max(budget_, 0));
    --depth_;
    return result;
  }
  if (interval(sum).lo >= 0) return true;
  if (--budget_ < 0) return false;

  std::vector<Expr> atoms;
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
  for (const LinearSum& known : known_nonnegative_) {
    const auto less = add(sum, known, -1);
    if (less && less->terms.size() <= sum.terms.size() + 1 && nonnegative(*less, depth - 1))
      return true;
  }
  return false;
}

bool Simplifier::is_refuted(const LinearSum& sum) {
  if (samples_ == nullptr) samples_ = std::make_unique<Samples>(facts_);
  return samples_->refutes_nonnegative(sum);
}

// Symbols by the depth of their declaration; a compound atom goes just before its last symbol.
std::size_t Simplifier::elimination_rank(Expr atom) {
  return atom.is(Op::Symbol) ? 2 * facts_.position(atom) : 2 * scope_depth(atom) - 1;
}

// 1 + the position of the last declared symbol that occurs in e; 1 if there is none.
std::size_t Simplifier::scope_depth(Expr e) {
  std::size_t& memo = depths_[e];
  if (memo != 0) return memo;
  std::size_t depth = e.is(Op::Symbol) ? facts_.position(e) + 1 : 1;
  if (!e.is(Op::Let)) {
    for (Expr a : e.args()) depth = std::max(depth, scope_depth(a));
  }
  return memo = depth;
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
    LinearSum last = sum_of(atom[1]);
    if (!last.is_constant()) {
      last.constant -= 1;
      upper.push_back(last);
    }
    if (interval(atom[0]).lo >= 0) upper.push_back(sum_of(atom[0]));
  } else if (atom.is(Op::Div) && interval(atom[1]).lo >= 1 && interval(atom[0]).lo >= 0) {
    upper.push_back(sum_of(atom[0]));
  } else if (atom.is(Op::Min)) {
    for (Expr e : atom.args()) upper.push_back(sum_of(e));
  } else if (atom.is(Op::Max)) {
    for (Expr e : atom.args()) lower.push_back(sum_of(e));
  }
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
    while (recompose(*total)) {}
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
        if (x) x->constant += 1;
      }
      const auto bound = x ? multiply(k->quotient, *x) : std::nullopt;
      if (bound && holds_with(*bound)) return true;
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
