#pragma once

#include <selvage/legality/gf2.h>

#include <cstdint>
#include <string>
#include <vector>

namespace selvage {

// f(row), linear in the row's bits. The item (row, column) of a swizzled tile lies in column ^
// f(row) of its row, in elements.
using RowMap = LinearMap;
// The row maps that one Swizzle of the graph expresses: some bits of the row, moved:
//   f(row) = (row >> row_shift & (2^bits - 1)) << column_shift
struct XorField {
  int row_shift = 0, bits = 0, column_shift = 0;
  friend bool operator==(const XorField&, const XorField&) = default;
};
RowMap row_map(const XorField& field, std::int64_t rows);
// The fewest fields, taken by diagonals, whose xor is the map.
std::vector<XorField> fields_of(const RowMap& map);
// "row * 2", "row / 4 % 8 * 16"
std::string to_text(const XorField& field, std::int64_t rows, const std::string& row = "row");

}  // namespace selvage
