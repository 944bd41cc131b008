#pragma once

#include <selvage/expr/expr.h>

#include <array>
#include <cstdint>

namespace selvage {

// Hilbert's curve through squares of side^2 points that lie one below the other, side a power of
// two. Number u*side + v is the point (x, y) that the curve comes to then, for v in [0, side) and
// any u:
//   side = 4     y 0  1  2  3         From (0, 0) to (side - 1, 0) through each square, and then
//         x 0    0  3  4  5           one step on into the next one. Each point is a neighbour of
//           1    1  2  7  6           the one before it.
//           2   14 13  8  9
//           3   15 12 11 10
//           4   16 19 ..
//
// Bit by bit from the highest: let a, b be the bits 2i + 1 and 2i of the number. A quarter of a
// square is passed like the whole, with the axes swapped in the first and the last quarter, and
// both turned round in the last. So with s, whether the axes are swapped by then, and c, whether
// they are turned round, all bits:
//   bit i of x = a + c + s*b      s for the bits below: s + 1 + a + b       (mod 2)
//   bit i of y = that + b         c for the bits below: c + a*b
// Read from left to right these give x and y, solved for b and then for a they give the number.
//
// Of u and v any integers: v counts by its lowest bits, and y is in [0, side) whatever they are; x
// and u are in the same square, x / side = u / side. The same holds the other way round.
std::array<Expr, 2> hilbert_point(Expr u, Expr v, std::int64_t side);   // x and y
std::array<Expr, 2> hilbert_number(Expr x, Expr y, std::int64_t side);  // u and v
std::array<std::int64_t, 2> hilbert_point(std::int64_t u, std::int64_t v, std::int64_t side);
std::array<std::int64_t, 2> hilbert_number(std::int64_t x, std::int64_t y, std::int64_t side);

}  // namespace selvage
