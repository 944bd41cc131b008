#pragma once

#include <selvage/expr/expr.h>
#include <selvage/legality/gf2.h>

#include <optional>
#include <span>

namespace selvage {

// A variable and how many bits it has: 0 <= variable < 2^bits. Its bits are input bits of a map,
// lowest first, those of the first variable before those of the second.
struct BitVariable {
  Expr variable;
  int bits = 0;
};

// An index as a map over GF(2) from the bits of its variables to its own, lowest first.
struct IndexMap {
  AffineMap map;
  // How it is known to equal the expression at every point: by the expression's structure (digits,
  // xor, products, sums without a carry), or by trying all points.
  enum class By : std::uint8_t { Structure, AllPoints } by = By::Structure;
};

// The expression as a map, if it is affine over GF(2). Nothing if it is not; if it may be negative,
// undefined or past 2^62; if the variables have more than 64 bits or do not include every symbol in
// it; or if its structure does not show the map and either the points are many (kMostBitsTried) or
// the expression is long.
inline constexpr int kMostBitsTried = 16;
std::optional<IndexMap> index_map(Expr e, std::span<const BitVariable> variables);

}  // namespace selvage
