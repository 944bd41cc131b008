#pragma once

#include <selvage/simplifier/simplifier.h>

#include <span>

namespace selvage {

// An axiom: no buffer has more elements, since no machine has more memory. Without it every index
// would need a proof that 64 bits can count the bytes of a buffer.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 48;

// Whether e fits 64 bits because each product of sizes in e divides the number of elements of some
// buffer. e is not negative and over sizes alone.
bool fits_by_memory(Expr e, std::span<const Expr> elements, Simplifier& ranges);

}  // namespace selvage
