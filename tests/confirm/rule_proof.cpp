#include "tests/confirm/rule_proof.h"

#include <selvage/expr/tape.h>

namespace selvage {

namespace {

constexpr std::int64_t kLargestDivisor = 8;

bool is_positive(PatternSymbol s) {
  return s == PatternSymbol::a || s == PatternSymbol::b || s == PatternSymbol::c;
}
bool is_condition(PatternSymbol s) { return s == PatternSymbol::p || s == PatternSymbol::q; }

// Both sides are the same condition, or the same number.
Expr equal(const Rule& rule) {
  const Expr l = rule.before, r = rule.after;
  if (info(l.op()).result == Result::Int) return eq(l, r);
  return (l && r) || (!l && !r);
}

std::vector<Expr> symbols_of(const Rule& rule) {
  const Expr sides[] = {rule.before, rule.after, rule.when};
  return symbols_of(sides);
}

std::vector<Expr> hypotheses(const Rule& rule) {
  std::vector<Expr> list = {rule.when};
  for (Expr s : symbols_of(rule)) {
    if (is_positive(pattern_symbol(s))) list.push_back(1 <= s);
    if (is_condition(pattern_symbol(s))) list.push_back(0 <= s && s <= 1);
  }
  return list;
}

}  // namespace

Verdict prove_rule(const Rule& rule) { return Solver(hypotheses(rule)).confirm(equal(rule)); }

Verdict prove_rule_to_8(const Rule& rule) {
  std::vector<Expr> divisors;
  for (Expr s : symbols_of(rule)) {
    if (is_positive(pattern_symbol(s))) divisors.push_back(s);
  }
  std::vector<std::int64_t> values(divisors.size(), 1);
  for (bool more = true; more;) {
    std::vector<Expr> assumptions = hypotheses(rule);
    for (std::size_t i = 0; i < divisors.size(); ++i) {
      assumptions.push_back(eq(divisors[i], values[i]));
    }
    const Verdict verdict = Solver(std::move(assumptions)).confirm(equal(rule));
    if (!is_proved(verdict)) return verdict;
    more = false;
    for (std::size_t i = 0; i < values.size() && !more; ++i) {
      more = values[i]++ < kLargestDivisor;
      if (!more) values[i] = 1;
    }
  }
  return Proved{{"Z3"}};
}

}  // namespace selvage
