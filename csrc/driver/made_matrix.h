#pragma once

#include <selvage/base/stored_matrix.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace selvage {

// Sparse matrices that are made by a rule, so that nobody needs to find one to try a schedule on:
//   KIND[:KEY=NUMBER,...]      power_law:rows=1024,longest=4096
// Every kind has `rows` (1,024) and `columns` (as many), and one of these keys:
//   diagonal                   one item a row
//   banded:width=3             the columns around the diagonal
//   blocks:width=16            full blocks along the diagonal
//   random:items=16            so many a row on average, anywhere
//   even:items=16              so many in each row
//   empty_rows:items=8         so many in each row, but none in every fourth
//   power_law:longest=1024     row r has longest / (r + 1)
//   one_row:longest=1024       row 0 has so many, every other row one
//   rmat:items=16              so many a row on average, in few rows and columns: the edges of a
//   graph
//                              by halving (0.57, 0.19, 0.19, 0.05), each once
// Nothing where the text does not begin with one of these kinds (is_made_matrix). Throws BadInput
// E604 for keys and numbers that are none. The same text and seed give the same matrix everywhere.
bool is_made_matrix(std::string_view text);
std::optional<CoordinateMatrix> made_matrix(std::string_view text, std::uint64_t seed);

// Of these, at most so many items.
inline constexpr std::int64_t kMostMadeItems = std::int64_t{1} << 25;

}  // namespace selvage
