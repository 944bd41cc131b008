#pragma once

#include <cstdint>
#include <vector>

namespace selvage {

// The items of a matrix that are stored, by coordinates, in any order. Several may have the same:
// the matrix has their sum there.
struct CoordinateMatrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<std::int64_t> row, column;
  std::vector<double> value;

  std::size_t items() const { return value.size(); }
};

// The same by rows: row r has the items offsets[r] to offsets[r + 1] - 1.
struct RowMatrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<std::int64_t> offsets, column;
  std::vector<double> value;
};

// By rows, and in each row by columns; items with the same coordinates stay apart, in their order.
// All coordinates must be within the matrix. Linear in items, rows and columns.
RowMatrix by_rows(const CoordinateMatrix& matrix);

}  // namespace selvage
