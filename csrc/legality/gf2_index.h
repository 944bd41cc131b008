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

// The map that the expression is, where it is one. Nothing where it is not affine over GF(2), where
// it may be negative, undefined or past 2^62, where the variables have more than 64 bits or do not
// name every symbol in it, or where neither the structure tells nor the points are few
// (kMostBitsTried) and the expression short.
inline constexpr int kMostBitsTried = 16;
std::optional<IndexMap> index_map(Expr e, std::span<const BitVariable> variables);

}  // namespace selvage
