#pragma once

#include <selvage/expr/expr.h>

#include <span>
#include <string_view>

namespace selvage {

// How values for the pattern symbols of a rule are proposed, given an expression with the same
// operator at its root. A proposal is used only if `when` is proved for it.
enum class Propose : std::uint8_t {
  Structure,      // the pattern as it stands
  Multiple,       // x*a: all that the divisor divides, term by term; y: the rest
  CommonFactor,   // b: a common divisor of the divisor and of some coefficients; y: the other terms
  Congruent,      // x: the terms that the facts make divisible; y: the rest
  Negative,       // a: the divisor with its sign turned
  InnerDiv,       // one term x/a of a dividend; y: the rest
  InnerMod,       // one term z*(x % (a*b)) of a dividend; y: the rest
  InnerQuotient,  // one term z*c*(x % (a*b)) of the dividend of a quotient; y: the rest
  Sum,            // terms of a sum that belong together
  Order,          // a difference compared with 0
  Conjunction,    // conditions that hold together
};

// before = after wherever `when` holds: three ordinary expressions over pattern symbols, so that
// the printer, the evaluator and the SMT emitter apply to a rule as they are. x, y, z stand for any
// integer; a, b, c for one that the facts prove positive; p, q for a condition.
struct Rule {
  std::string_view name;
  Expr before, after, when;
  Propose propose;
  std::string_view source;
};

// The whole table. A rewrite that is not in it does not exist.
std::span<const Rule> all_rules();
// The rules whose left side has this operator at its root, in the order in which they are tried.
std::span<const Rule* const> rules_for(Op root);
// The rule of that name; a wrong name is a bug.
const Rule& rule(std::string_view name);

// The pool of the pattern symbols, and the number of distinct ones.
ExprPool& patterns();
enum class PatternSymbol : std::uint8_t { x, y, z, a, b, c, p, q };
inline constexpr std::size_t kPatternSymbols = 8;
PatternSymbol pattern_symbol(Expr symbol);

}  // namespace selvage
