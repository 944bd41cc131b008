#pragma once

#include <selvage/simplifier/simplifier.h>

#include <span>

namespace selvage {

// No machine has more memory. Without this axiom every index would need a proof that the bytes of
// a buffer are no more than 64 bits can count.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 48;

// Does e fit 64 bits, because each product of sizes in it divides the number of elements of some
// buffer? e is not negative, over sizes alone.
bool fits_by_memory(Expr e, std::span<const Expr> elements, Simplifier& ranges);

}  // namespace selvage
