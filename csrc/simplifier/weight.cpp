#include <selvage/base/check.h>
#include <selvage/simplifier/weight.h>

namespace selvage {

namespace {

// What an operator weighs: constant + times[0]*(its first operand) + ...
struct OpWeight {
  std::int64_t times[3];
  std::int64_t constant;
};

// The numbers solve the inequalities that the rules make. What drives them:
//   (x/a + y)/b      is heavier than (x + y*a)/(a*b)   a quotient weighs more than its dividend
//   x/a <= y         is heavier than x < (y + 1)*a     and more than a sum and a product besides
//   (x + y)/4        is heavier than x/4 + y/4         a sum within a quotient counts thrice
//   !(p && q)        is heavier than !p || !q          a conjunction within `!` counts twice
OpWeight weight_of(Op op) {
  switch (op) {
    case Op::Const:
    case Op::Bool:
    case Op::Symbol:
    case Op::Let:
    case Op::Load:
    case Op::Call: return {{1, 1, 1}, 1};
    case Op::Add:
    case Op::Sub: return {{1, 1, 0}, 4};
    case Op::Mul: return {{1, 1, 0}, 1};
    case Op::Div: return {{3, 2, 0}, 4};
    case Op::Mod: return {{2, 2, 0}, 4};
    case Op::Min:
    case Op::Max:
    case Op::Xor:
    case Op::Select:
    case Op::Lt:
    case Op::Le:
    case Op::Eq: return {{1, 1, 1}, 1};
    case Op::Not: return {{2, 0, 0}, 1};
    case Op::And:
    case Op::Or: return {{1, 1, 0}, 3};
  }
  return {{1, 1, 1}, 1};
}

void add(Weight& sum, std::int64_t times, const Weight& w) {
  for (std::size_t i = 0; i < kPatternSymbols; ++i) sum.of[i] += times * w.of[i];
  sum.constant += times * w.constant;
}

void make_number(Weight& w, PatternSymbol s) {
  w.constant += w[s];
  w[s] = 0;
}

}  // namespace

Weight weight(Expr pattern) {
  Weight w;
  if (pattern.is(Op::Symbol)) {
    w[pattern_symbol(pattern)] = 1;
    return w;
  }
  const OpWeight own = weight_of(pattern.op());
  SELVAGE_CHECK(pattern.args().size() <= 3);
  w.constant = own.constant;
  for (std::size_t i = 0; i < pattern.args().size(); ++i) {
    add(w, own.times[i], weight(pattern[i]));
  }
  return w;
}

bool is_lighter(const Weight& b, const Weight& a) {
  std::int64_t least = a.constant - b.constant;  // of the difference, where all symbols weigh 1
  for (std::size_t i = 0; i < kPatternSymbols; ++i) {
    if (b.of[i] > a.of[i]) return false;
    least += a.of[i] - b.of[i];
  }
  return least > 0;
}

bool wants_numbers(const Rule& rule) { return rule.propose == Propose::Congruent; }

bool decreases(const Rule& rule) {
  Weight before = weight(rule.before), after = weight(rule.after);
  if (wants_numbers(rule)) {
    for (PatternSymbol s : {PatternSymbol::a, PatternSymbol::b, PatternSymbol::c}) {
      make_number(before, s);
      make_number(after, s);
    }
  }
  return is_lighter(after, before);
}

}  // namespace selvage
