#include <selvage/simplifier/parts.h>

namespace selvage {

namespace {

constexpr int kDeepestRewriting = 40;  // rules within the results of rules

}  // namespace

RuleApplication::RuleApplication(SimplifierParts& parts)
    : SimplifierPart(parts),
      premises_(parts.premises),
      prover_(parts.prover),
      normalizer_(parts.normalizer),
      proposer_(parts.proposer),
      verdicts_(parts.verdicts) {}

void RuleApplication::add_hits(const RuleApplication& other) {
  for (std::size_t i = 0; i < hits_.size(); ++i) hits_[i] += other.hits_[i];
}

Expr RuleApplication::apply_to(Expr e) {
  // Each rule decreases its own weight. It is not proved that no chain of rules returns to its
  // start where divisors are symbolic, so the depth of chains is limited.
  if (depth_ >= kDeepestRewriting) return e;
  ++depth_;
  const Expr result = apply_first(e);
  --depth_;
  return result;
}

Expr RuleApplication::apply_first(Expr e) {
  for (const Rule* rule : rules_for(e.op())) {
    if (rule->propose == Propose::Structure) {
      Bindings bindings;
      if (!match(rule->before, e, bindings)) continue;
      if (!budget_.spend()) return e;
      if (const auto result = apply(*rule, bindings)) return *result;
      continue;
    }
    for (const Bindings& bindings : proposer_.propose(*rule, e)) {
      if (!budget_.spend()) return e;
      if (const auto result = apply(*rule, bindings)) return *result;
    }
  }
  return e;
}

std::optional<Expr> RuleApplication::apply(const Rule& rule, const Bindings& bindings) {
  for (const PatternSymbol s : {PatternSymbol::a, PatternSymbol::b, PatternSymbol::c}) {
    const Expr value = bindings[s];
    if (!value.valid() || interval(value).lo >= 1) continue;
    if (!verdicts_.proves_nonnegative(value - 1)) return std::nullopt;
  }
  if (const auto decided = decide(rule.when, bindings)) {
    if (!*decided) return std::nullopt;
  } else if (!verdicts_.proves(substitute(rule.when, bindings))) {
    return std::nullopt;
  }
  const Expr result = normalizer_.normalize(substitute(rule.after, bindings));
  count(rule);
  return result;
}

// An interval of the pattern with these values, without building the expression.
Interval RuleApplication::interval_of(Expr pattern, const Bindings& bindings) {
  if (pattern.is(Op::Symbol)) return interval(bindings[pattern_symbol(pattern)]);
  if (pattern.is(Op::Const)) return Interval::point(pattern.value());
  if (pattern.is(Op::Sub)) {
    return interval_of(pattern[0], bindings) - interval_of(pattern[1], bindings);
  }
  return Interval::everything();
}

// Whether the condition of a rule holds; nothing if neither intervals nor sample points decide.
std::optional<bool> RuleApplication::decide(Expr pattern, const Bindings& bindings) {
  if (pattern.is(Op::Bool)) return pattern.is_true();
  if (pattern.is(Op::And)) {
    const auto a = decide(pattern[0], bindings);
    if (a == false) return a;
    const auto b = decide(pattern[1], bindings);
    return a == true ? b : b == false ? b : std::nullopt;
  }
  if (pattern.is(Op::Eq) && pattern[0].is(Op::Div) && pattern[1].is_const(0)) {
    // x / a == 0 fails if x < 0 or a <= x at some point.
    const Expr a = bindings[pattern_symbol(pattern[0][1])];
    const LinearSum& x = sum_of(bindings[pattern_symbol(pattern[0][0])]);
    if (a.is(Op::Const) && premises_.leave_free(x)) return interval(x).within(0, a.value() - 1);
    const auto below = one_less(add(sum_of(a), x, -1));
    if (!below || prover_.is_refuted(x) || prover_.is_refuted(*below)) return false;
  }
  if (pattern.is(Op::Lt) || pattern.is(Op::Le)) {
    return order(interval_of(pattern[0], bindings), interval_of(pattern[1], bindings),
                 pattern.is(Op::Lt));
  }
  return std::nullopt;
}

bool RuleApplication::match(Expr pattern, Expr e, Bindings& bindings) const {
  if (pattern.is(Op::Symbol)) {
    Expr& bound = bindings[pattern_symbol(pattern)];
    if (bound.valid()) return same(bound, e);
    bound = e;
    return true;
  }
  if (pattern.op() != e.op() || pattern.value() != e.value()) return false;
  if (pattern.args().size() != e.args().size()) return false;
  for (std::size_t i = 0; i < pattern.args().size(); ++i) {
    if (!match(pattern[i], e[i], bindings)) return false;
  }
  return true;
}

Expr RuleApplication::substitute(Expr pattern, const Bindings& bindings) {
  if (pattern.is(Op::Symbol)) return bindings[pattern_symbol(pattern)];
  if (pattern.is(Op::Const)) return pool_.constant(pattern.value());
  if (pattern.is(Op::Bool)) return pool_.truth(pattern.value() != 0);
  Expr args[3];
  for (std::size_t i = 0; i < pattern.args().size(); ++i) {
    args[i] = substitute(pattern[i], bindings);
  }
  return pool_.make(pattern.op(), std::span<const Expr>(args, pattern.args().size()));
}

}  // namespace selvage
