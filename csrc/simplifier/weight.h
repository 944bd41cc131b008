#pragma once

#include <selvage/simplifier/rules.h>

#include <array>
#include <cstdint>

namespace selvage {

// What a pattern weighs: constant + the sum of coefficient * (what the symbol weighs), by symbol.
// Everything that a symbol may stand for weighs at least 1.
//
// A quotient weighs thrice its dividend, twice its divisor, and a little; every other operator the
// sum of its operands, some of them twice, and a little. So what contains a lighter part is lighter
// itself, sums and products weigh the same in any order and grouping, and there is no endless chain
// of lighter expressions. Rewriting by rules that make lighter ends, whatever they are applied to.
// (Multiplying a sum out is no rule but the normal form of sums, and may make heavier.)
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

// Whether what is proposed for a, b and c is always a number.
bool wants_numbers(const Rule& rule);

}  // namespace selvage
