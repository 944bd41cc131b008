#include <selvage/base/integer.h>
#include <selvage/simplifier/parts.h>

#include <algorithm>
#include <utility>

namespace selvage {

Elimination::Elimination(SimplifierParts& parts)
    : SimplifierPart(parts),
      premises_(parts.premises),
      prover_(parts.prover),
      normalizer_(parts.normalizer),
      recomposition_(parts.recomposition) {}

namespace {

// Half of a sum, rounded to one side, where its terms have even coefficients: min(x, y) is at most
// (x + y) / 2, and max(x, y) at least that. So min(x, 9 - x) is at most 4.
std::optional<LinearSum> half_of(std::optional<LinearSum> sum, bool up) {
  if (!sum || (up && sum->constant == INT64_MAX)) return std::nullopt;
  for (LinearSum::Term& t : sum->terms) {
    if (t.coefficient % 2 != 0) return std::nullopt;
    t.coefficient /= 2;
  }
  sum->constant = floor_div(sum->constant + (up ? 1 : 0), 2);
  return sum;
}

}  // namespace

void Elimination::replace_free_symbols(LinearSum& sum) {
  std::uint64_t once = 0, twice = premises_.symbols();
  for (const auto& t : sum.terms) {
    const std::uint64_t here = structure_.symbol_mask(t.monomial);
    twice |= once & here;
    once |= here;
  }
  for (std::size_t i = sum.terms.size(); i-- > 0;) {
    const auto [symbol, k] = sum.terms[i];
    if (!symbol.is(Op::Symbol) || (structure_.own_bit(symbol) & twice) != 0) continue;
    const Facts::Symbol* s = facts_.find(symbol);
    if (s == nullptr) continue;
    const Expr end = k > 0 ? s->lo : s->hi;
    if (!end.valid()) continue;
    std::optional<LinearSum> replaced;
    if (end.is(Op::Const)) {
      const Interval range = interval(symbol);
      replaced = LinearSum::of_constant(k > 0 ? range.lo : range.hi);
    } else if (k > 0 ? !s->range.has_lo() : !s->range.has_hi()) {
      replaced = normalizer_.linear(end);
    }
    const auto rest = replaced ? add(sum, {{{symbol, k}}, 0}, -1) : std::nullopt;
    const auto result = rest ? add(*rest, *replaced, k) : std::nullopt;
    if (!result) continue;
    sum = *result;
    if (!end.is(Op::Const)) return replace_free_symbols(sum);
  }
}

void Elimination::atom_bounds(Expr atom, std::vector<LinearSum>& lower,
                              std::vector<LinearSum>& upper) {
  const Interval range = interval(atom);
  if (range.has_lo()) lower.push_back(LinearSum::of_constant(range.lo));
  if (range.has_hi()) upper.push_back(LinearSum::of_constant(range.hi));
  if (atom.is(Op::Symbol)) {
    const Facts::Symbol* s = facts_.find(atom);
    const auto take = [&](Expr end, std::vector<LinearSum>& bounds) {
      if (end.valid() && !end.is(Op::Const)) bounds.push_back(normalizer_.linear(end));
    };
    if (s != nullptr) take(s->lo, lower);
    if (s != nullptr) take(s->hi, upper);
  } else if (atom.is(Op::Mod) && interval(atom[1]).lo >= 1) {
    const auto last = one_less(sum_of(atom[1]));
    if (last && !last->is_constant()) upper.push_back(*last);
    if (interval(atom[0]).lo >= 0) upper.push_back(sum_of(atom[0]));
  } else if (atom.is(Op::Div) && interval(atom[1]).lo >= 1 && interval(atom[0]).lo >= 0) {
    upper.push_back(sum_of(atom[0]));
  } else if (atom.is(Op::Min) || atom.is(Op::Max)) {
    std::vector<LinearSum>& bounds = atom.is(Op::Min) ? upper : lower;
    for (Expr e : atom.args()) bounds.push_back(sum_of(e));
    if (const auto half = half_of(add(bounds[bounds.size() - 2], bounds.back()), atom.is(Op::Max)))
      bounds.push_back(*half);
  }
}

// 0 <= rest + k*(x / m) with m = f*k or -f*k: -f < f*rest + (a bound of m*(x / m)) is enough.
bool Elimination::eliminate_quotient(const LinearSum& rest, const LinearSum& k, Expr atom,
                                     bool rising, int depth) {
  const auto positive = rising ? k : scale(k, -1);
  const auto f = positive ? divide_terms(pool_, sum_of(atom[1]), *positive) : std::nullopt;
  if (!f || f->quotient.is_zero() || !f->rest.is_zero() || interval(f->quotient).lo < 1) {
    return false;
  }
  // m*(x / m) lies between x - m + 1 and x.
  auto bound = rising ? add(sum_of(atom[0]), sum_of(atom[1]), -1) : scale(sum_of(atom[0]), -1);
  if (rising && bound) bound = add(*bound, LinearSum::of_constant(1));
  const auto scaled = multiply(rest, f->quotient);
  auto total = scaled && bound ? add(*scaled, *bound) : std::nullopt;
  if (total) total = add(*total, f->quotient);
  return holds(one_less(total), depth);
}

// Whether 0 <= total is proved as the next step of a proof.
bool Elimination::holds(std::optional<LinearSum> total, int depth) {
  if (!total) return false;
  recomposition_.recompose_all(*total);
  return prover_.nonnegative(*total, depth - 1);
}

// What an atom may be, one of these values, and what is at least 0 where it is that one. With
// `least`: min(x, y) is one of them, else max(x, y) is. Choices within choices are all listed.
void Elimination::list_choices(Expr atom, bool least, const std::vector<LinearSum>& known,
                               std::vector<Choice>& list) {
  const auto add_choice = [&](Expr value, const std::optional<LinearSum>& more) {
    std::vector<LinearSum> here = known;
    if (more) here.push_back(*more);
    if (value.is(Op::Select)) return list_choices(value, least, here, list);
    list.push_back({sum_of(value), std::move(here)});
  };
  if (!atom.is(Op::Select)) {
    const auto more = add(sum_of(atom[least ? 1 : 0]), sum_of(atom[least ? 0 : 1]), -1);
    add_choice(atom[0], more);
    return add_choice(atom[1], more ? scale(*more, -1) : std::nullopt);
  }
  const Expr c = atom[0];
  std::optional<LinearSum> holds, fails;
  if (c.is(Op::Lt) || c.is(Op::Le)) {
    holds = add(sum_of(c[1]), sum_of(c[0]), -1);
    if (holds) fails = scale(*holds, -1);
    if (c.is(Op::Lt)) holds = one_less(holds);
    if (c.is(Op::Le)) fails = one_less(fails);
  }
  add_choice(atom[1], holds);
  add_choice(atom[2], fails);
}

// Whether factor*atom + rest is at least 0 whichever value the atom is.
bool Elimination::holds_for_all(const LinearSum& rest, const LinearSum& factor, Expr atom,
                                bool least, int depth) {
  std::vector<Choice> choices;
  list_choices(atom, least, {}, choices);
  return std::ranges::all_of(choices, [&](const Choice& choice) {
    const auto scaled = multiply(factor, choice.value);
    auto total = scaled ? add(rest, *scaled) : std::nullopt;
    if (!total) return false;
    recomposition_.recompose_all(*total);
    return prover_.nonnegative(*total, depth - 1) ||
           std::ranges::any_of(choice.known, [&](const LinearSum& known) {
             return prover_.follows_from(*total, known, depth - 1);
           });
  });
}

// sum = factor*atom + rest is at least 0 if it is so with a bound of the atom in place of the atom.
bool Elimination::eliminate(const LinearSum& sum, Expr atom, int depth) {
  LinearSum factor, rest;
  rest.constant = sum.constant;
  for (const auto& t : sum.terms) {
    const auto others = divide_monomial(pool_, t.monomial, atom);
    LinearSum& part = others ? factor : rest;
    auto grown = add(part, LinearSum::of_term(t.coefficient, others ? *others : t.monomial));
    if (!grown) return false;
    part = *std::move(grown);
  }
  if (atom.is(Op::Select)) return holds_for_all(rest, factor, atom, false, depth);
  const Interval sign = interval(factor);
  const bool rising =
      sign.lo >= 0 || (!factor.is_constant() && prover_.nonnegative(factor, depth - 1));
  bool falling = sign.hi <= 0;
  if (!rising && !falling) {
    const auto opposite = scale(factor, -1);
    falling = opposite && prover_.nonnegative(*opposite, depth - 1);
  }
  if (!rising && !falling) return false;

  if (atom.is(Op::Div) && interval(atom[1]).lo >= 1) {
    // k*m*(x / m) lies between k*(x - m + 1) and k*x, for k >= 0.
    const LinearSum m = sum_of(atom[1]);
    const auto k = divide_terms(pool_, factor, m);
    if (k && k->rest.is_zero()) {
      auto x = std::optional(sum_of(atom[0]));
      if (rising) {
        x = add(*x, m, -1);
        if (x) x = add(*x, LinearSum::of_constant(1));
      }
      const auto bound = x ? multiply(k->quotient, *x) : std::nullopt;
      if (bound && holds(add(rest, *bound), depth)) return true;
    } else if (eliminate_quotient(rest, factor, atom, rising, depth)) {
      return true;
    }
  }
  // The least of min(x, y) is that of x or of y; its most is bounded by each of them.
  const bool is_either = atom.is(Op::Min) ? rising : atom.is(Op::Max) && !rising;
  if (is_either && holds_for_all(rest, factor, atom, atom.is(Op::Min), depth)) return true;
  std::vector<LinearSum> lower, upper;
  atom_bounds(atom, lower, upper);
  for (const LinearSum& bound : rising ? lower : upper) {
    const auto scaled = multiply(factor, bound);
    if (scaled && holds(add(rest, *scaled), depth)) return true;
  }
  return false;
}

}  // namespace selvage
