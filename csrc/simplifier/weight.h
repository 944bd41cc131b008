#pragma once

#include <selvage/simplifier/rules.h>

#include <array>
#include <cstdint>

namespace selvage {

// The weight of a pattern: constant + the sum of coefficient * (weight of the symbol), by symbol.
// Everything that a symbol may stand for weighs at least 1.
//
// A quotient weighs thrice its dividend, twice its divisor, and a little; every other operator the
// sum of its operands, some of them twice, and a little. So an expression gets lighter when a part
// of it does, sums and products weigh the same in any order and grouping, and no chain of lighter
// and lighter expressions is endless: rewriting by rules with a lighter right side ends, whatever
// they are applied to. (Multiplying out is not a rule but the normal form of sums, and may add
// weight.)
struct Weight {
  std::array<std::int64_t, kPatternSymbols> of{};
  std::int64_t constant = 0;

  std::int64_t& operator[](PatternSymbol s) { return of[std::size_t(s)]; }
};
Weight weight(Expr pattern);

// Whether b is lighter than a whatever the symbols stand for.
bool is_lighter(const Weight& b, const Weight& a);

// Whether the right side of a rule is lighter than its left side. Where a rule's divisor a is
// always a number it weighs 1, as every number does.
bool decreases(const Rule& rule);

// Whether the values proposed for a, b and c are always numbers.
bool wants_numbers(const Rule& rule);

}  // namespace selvage
